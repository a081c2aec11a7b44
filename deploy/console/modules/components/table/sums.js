/** The sums below a table. */
import { moneyTexts, sumTexts } from "../../formats.js";
import { html, useMemo } from "../../html.js";
import { sumsBy } from "../../numbers.js";
import { cellOf } from "./cell.js";

/** What can be added up, each currency and unit by itself. */
export function Sums({ columns, rows, words }) {
  const first = columns.findIndex(({ isChoice }) => !isChoice);
  const cells = useMemo(() => columns.map(({ adds, value, isMoney }) => {
    const sums = adds ? sumsBy(rows, adds, value) : [];
    const words = isMoney ? moneyTexts(sums) : sumTexts(sums);
    return sums.length > 0 && words.map((text) => html`<div class="sum">${text}</div>`);
  }), [columns, rows]);
  return html`<tfoot role="rowgroup"><tr role="row">${columns.map((column, at) => cellOf({ ...column, head: at === first, cell: () => (at === first ? html`${words}${cells[at]}` : cells[at]) }, null))}</tr></tfoot>`;
}
