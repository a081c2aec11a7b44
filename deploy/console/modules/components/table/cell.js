/** One cell of a table. */
import { html } from "../../html.js";

export function cellOf(column, row, opener = null) {
  const content = column.cell(row);
  const isEmpty = content === null || content === undefined || content === "" || content === false;
  const kind = [column.number && "number", column.isWhole && "nowrap", column.controls && "controls", column.isChoice && "choice", isEmpty && "empty"].filter(Boolean).join(" ");
  if (column.head) return html`<th role="rowheader" scope="row" class=${opener === null ? kind : `${kind} opens`}>${content}${opener}</th>`;
  return html`<td role="cell" class=${kind} data-label=${column.controls ? undefined : column.title}>${isEmpty ? null : html`<div>${content}</div>`}</td>`;
}
