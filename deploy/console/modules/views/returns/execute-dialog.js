/** Executing a planning. */
import { Dialog } from "../../components/dialog.js";
import { CheckField } from "../../components/fields.js";
import { Note } from "../../components/note.js";
import { money, plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { foot } from "./sending.js";

/** @param {{planning: object, sheet: any[], [name: string]: any}} props `sheet`: its documents, with what they wait for */
export function ExecuteDialog({ planning, sheet, onClose, onRun }) {
  const waiting = sheet.filter(({ estado }) => estado === "pendiente");
  const ready = waiting.filter(({ lacks }) => !lacks);
  const lacking = waiting.filter(({ lacks }) => lacks);
  const [chosen, setChosen] = useState(() => new Set(ready.map(({ docId }) => docId)));
  const toggle = (id) => (isOn) => {
    const next = new Set(chosen);
    if (isOn) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const all = chosen.size === waiting.length;
  const run = () => onRun({ version: planning.version, ...(all ? {} : { documentos: [...chosen] }) });
  const nameOf = (document) => `${document.proveedor || document.cardCode} (${plural(document.lineas, t`línea`, t`líneas`)}, ${money(document.total, document.moneda)})`;
  return html`<${Dialog} title=${t`Crear las devoluciones en el ERP`} onClose=${onClose} onSubmit=${run}
      foot=${foot(onClose, t`Crear ${plural(chosen.size, t`devolución`, t`devoluciones`)}`, { isDisabled: chosen.size === 0 })}>
    <p>${t`Cada documento se crea una sola vez, aunque se corte la conexión.`}</p>
    <fieldset class="stack tight">
      <legend>${t`Documentos`}</legend>
      ${ready.map((document) => html`<${CheckField} key=${document.docId} checked=${chosen.has(document.docId)} onInput=${toggle(document.docId)} label=${nameOf(document)} />`)}
    </fieldset>
    ${lacking.length > 0 && html`<${Note} kind="warn" title=${plural(lacking.length, t`documento queda fuera hasta que elija sus lotes o series`, t`documentos quedan fuera hasta que elija sus lotes o series`)}>
      <ul>${lacking.map((document) => html`<li key=${document.docId}>${nameOf(document)}</li>`)}</ul>
    <//>`}
  <//>`;
}
