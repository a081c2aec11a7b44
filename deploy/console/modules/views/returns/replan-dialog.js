/** Planning again. */
import { planAgain } from "../../api/returns.js";
import { Dialog } from "../../components/dialog.js";
import { sumTexts } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { foot, SendingNote, useSending } from "./sending.js";
import { figuresOf } from "./sheet.js";

export function ReplanDialog({ planning, onClose, onDone, onRefresh }) {
  const goingBack = (plan) => sumTexts(figuresOf(plan).asignada).join(" · ");
  const sending = useSending((next) => onDone(next, t`Planificada de nuevo: vuelven ${goingBack(next)}, antes ${goingBack(planning)}.`), onRefresh);
  return html`<${Dialog} title=${t`Planificar de nuevo`} onClose=${onClose} onSubmit=${() => sending.submit(() => planAgain(planning.id, planning.version))}
      foot=${foot(onClose, t`Planificar de nuevo`, sending)}>
    <p>${t`Se reparte otra vez con el stock y las entradas de hoy. Lo que ya está en una devolución no se toca, y los lotes elegidos quedan hasta donde alcancen.`}</p>
    <${SendingNote} sending=${sending} />
  <//>`;
}
