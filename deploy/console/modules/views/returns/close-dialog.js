/** Closing a planning. */
import { closePlanning } from "../../api/returns.js";
import { Dialog } from "../../components/dialog.js";
import { TextArea } from "../../components/fields.js";
import { useForm } from "../../forms/form.js";
import { html, useState } from "../../html.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";
import { foot, SendingNote, useSending } from "./sending.js";

export function CloseDialog({ planning, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const sending = useSending((next) => {
    form.saved();
    onDone(next);
  });
  const form = useForm({
    service: returns, name: `cerrar/${planning.id}`, typed: reason, isTouched: reason !== "", isHeld: reason !== "" && !sending.isBusy,
    restore: setReason, refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  return html`<${Dialog} form=${form} title=${t`Cerrar la planificación`} onClose=${close} onSubmit=${() => sending.submit(() => closePlanning(planning.id, reason || null))}
      foot=${foot(close, t`Cerrar planificación`, { ...sending, kind: "danger main" })}>
    <p>${t`Lo que no se creó se descarta. No se puede volver a abrir.`}</p>
    <${TextArea} label=${t`Motivo`} value=${reason} onInput=${setReason} fault=${sending.problem?.of("motivo")} inputProps=${{ rows: 2, style: { minHeight: "4rem" } }} />
    <${SendingNote} sending=${sending} />
  <//>`;
}
