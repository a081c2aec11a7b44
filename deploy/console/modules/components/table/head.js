/** One column's head. */
import { html } from "../../html.js";

export function Head({ column, sortKey, sort, onSort, grip }) {
  const sorted = sortKey && sort?.key === sortKey;
  const way = sorted ? (sort.down ? "descending" : "ascending") : undefined;
  const title = column.quiet ? html`<span class="unseen">${column.title}</span>` : column.title;
  const kind = [column.number && "number", column.controls && "controls", column.isChoice && "choice"].filter(Boolean).join(" ");
  return html`<th role="columnheader" scope="col" class=${kind} aria-sort=${way} aria-label=${grip && column.title}>
    ${sortKey
      ? html`<button type="button" class="sort" onClick=${() => onSort(sortKey, sorted ? !sort.down : false)}>
          ${title}<span class="way" aria-hidden="true">${sorted ? (sort.down ? "↓" : "↑") : ""}</span>
        </button>`
      : title}${grip?.(column)}
  </th>`;
}
