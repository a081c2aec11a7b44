/** Reprocessing the documents that failed. */
import { Dialog } from "../../components/dialog.js";
import { CheckField } from "../../components/fields.js";
import { plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { foot } from "./sending.js";
import { isGone } from "./sheet.js";

export function ReprocessDialog({ planning, onClose, onRun }) {
  const [replan, setReplan] = useState(false);
  const left = planning.documentos.filter((document) => document.estado !== "creado" && !isGone(document));
  return html`<${Dialog} title=${t`Reprocesar lo que falta`} onClose=${onClose} onSubmit=${() => onRun({ replanificar: replan })} foot=${foot(onClose, t`Reprocesar`)}>
    <p>${t`Primero se busca en el ERP qué quedó hecho; lo creado no se toca. ${plural(left.length, t`documento queda`, t`documentos quedan`)} por resolver.`}</p>
    <${CheckField} label=${t`Planificar de nuevo todo lo que falló, con el stock de hoy`} checked=${replan} onInput=${setReplan} />
    <p class="small muted">${t`Sin marcar, lo que falló por algo pasajero (período, serie, tipo de cambio) se intenta otra vez como está; lo demás se planifica de nuevo igualmente.`}</p>
  <//>`;
}
