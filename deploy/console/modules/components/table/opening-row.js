/** A row with details beneath it. */
import { Fragment, html, useId, useState } from "../../html.js";
import { cellOf } from "./cell.js";

/** A row that another one can be opened beneath; it stays the same one while there is nothing inside. */
export function OpeningRow({ row, columns, kind, inside }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const opener = (inside.has?.(row) ?? true) && html`<button type="button" class="plain opener" aria-expanded=${String(isOpen)} aria-controls=${isOpen ? id : undefined}
    aria-label=${inside.label(row)} onClick=${() => setOpen(!isOpen)}></button>`;
  return html`<${Fragment}>
    <tr role="row" class=${kind}>${columns.map((column) => cellOf(column, row, opener))}</tr>
    ${isOpen && opener && html`<tr role="row" class="inside" id=${id}><td role="cell" colspan=${columns.length}>${inside.content(row)}</td></tr>`}
  <//>`;
}
