/** A table whose rows become cards on a phone; roles are written out because the cards' CSS would take them away. */
import { html } from "../html.js";

/**
 * @param {object} props
 * @param {string} props.caption what it holds, for screen readers
 * @param {{key: string, title: string, cell: (row: any) => any, number?: boolean, head?: boolean, controls?: boolean,
 *   sortKey?: string}[]} props.columns
 * @param {any[]} props.rows
 * @param {(row: any) => string} props.rowKey
 * @param {{key: string, down: boolean}} [props.sort] the column that the rows are sorted by
 * @param {(key: string) => void} [props.onSort]
 */
export function Table({ caption, columns, rows, rowKey, rowClass, sort, onSort, empty = "No hay nada que mostrar." }) {
  if (!rows.length) return html`<p class="empty-note">${empty}</p>`;
  return html`<div class="table-box" role="region" aria-label=${caption} tabindex="0">
    <table class="cards" role="table" aria-label=${caption}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => html`<${Head} key=${column.key} column=${column} sort=${sort} onSort=${onSort} />`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => html`<tr role="row" key=${rowKey(row)} class=${rowClass?.(row) ?? ""}>${columns.map((column) => cellOf(column, row))}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

function Head({ column, sort, onSort }) {
  const sorted = column.sortKey && sort?.key === column.sortKey;
  const way = sorted ? (sort.down ? "descending" : "ascending") : undefined;
  const title = column.quiet ? html`<span class="unseen">${column.title}</span>` : column.title;
  return html`<th role="columnheader" scope="col" class=${column.number ? "number" : ""} aria-sort=${way}>
    ${column.sortKey && onSort
      ? html`<button type="button" class="sort" onClick=${() => onSort(column.sortKey)}>
          ${title}<span class="way" aria-hidden="true">${sorted ? (sort.down ? "↓" : "↑") : ""}</span>
        </button>`
      : title}
  </th>`;
}

function cellOf(column, row) {
  const content = column.cell(row);
  const isEmpty = content === null || content === undefined || content === "" || content === false;
  const kind = [column.number && "number", column.controls && "controls", isEmpty && "empty"].filter(Boolean).join(" ");
  if (column.head) return html`<th role="rowheader" scope="row" class=${kind}>${content}</th>`;
  return html`<td role="cell" class=${kind} data-label=${column.controls ? undefined : column.title}>${isEmpty ? null : html`<div>${content}</div>`}</td>`;
}

export function Pager({ page, pages, total, onPage, what = "registros" }) {
  return html`<nav class="pager" aria-label="Páginas">
    <span role="status">${total.toLocaleString("es-CL")} ${what}, página ${page} de ${Math.max(pages, 1)}</span>
    <span class="actions">
      <button type="button" class="small" disabled=${page <= 1} onClick=${() => onPage(page - 1)}>Anterior</button>
      <button type="button" class="small" disabled=${page >= pages} onClick=${() => onPage(page + 1)}>Siguiente</button>
    </span>
  </nav>`;
}
