/** What a planning needs before it can be executed. */
import { Note } from "../../components/note.js";
import { plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { NAMED } from "./outcome.js";

/** Lines whose batches or serial numbers are still to be picked. */
export function MissingPicks({ lines, onOpen }) {
  return html`<${Note} kind="warn">
    <p>${t`${plural(lines.length, t`artículo espera`, t`artículos esperan`)} que elija sus lotes o series antes de ejecutar.`}</p>
    <div class="actions">${lines.slice(0, NAMED).map((line) => html`<button type="button" class="small" key=${line.lineId} onClick=${() => onOpen("line", line.lineId)}>${t`Elegir los de ${line.itemCode}`}</button>`)}
      ${lines.length > NAMED && html`<span>y ${plural(lines.length - NAMED, t`más, en su línea`, t`más, en sus líneas`)}</span>`}</div>
  <//>`;
}

/** Fields of the header that the company requires. */
export function MissingFields({ titles, onOpen }) {
  return html`<${Note} kind="warn">
    <p>${t`Antes de ejecutar hay que completar: ${titles.join(", ")}.`}</p>
    <div class="actions"><button type="button" class="small" onClick=${() => onOpen("header")}>${t`Completar datos`}</button></div>
  <//>`;
}
