/** A table whose rows become cards on a phone; roles are written out because the cards' CSS would take them away. */
import { plural } from "../formats.js";
import { html, useLayoutEffect, useMemo, useRef, useState } from "../html.js";

const SLICE = 50; // rows drawn in one go; more would hold the page up

/**
 * @param {object} props
 * @param {string} [props.empty] said where there are no rows
 * @param {string} props.caption what it holds, for screen readers
 * @param {{key: string, title: string, cell: (row: any) => any, number?: boolean, head?: boolean, controls?: boolean,
 *   sortKey?: string}[]} props.columns
 * @param {any[]} props.rows
 * @param {(row: any) => string} props.rowKey
 * @param {{key: string, down: boolean}} [props.sort] the column that the rows are sorted by
 * @param {(key: string) => void} [props.onSort]
 */
export function Table({ empty = "No hay nada que mostrar.", ...table }) {
  return table.rows.length ? html`<${FilledTable} ...${table} />` : html`<p class="empty-note">${empty}</p>`;
}

function FilledTable({ caption, columns, rows, rowKey, rowClass, sort, onSort }) {
  const drawn = useDrawn(`${rows.length} ${rowKey(rows[0])}`, rows.length);
  const box = useSteadyColumns(rows.length > SLICE, columns.length);
  const slices = [];
  for (let from = 0; from < Math.min(drawn, rows.length); from += SLICE) slices.push(from);
  return html`<div class="table-box" role="region" aria-label=${caption} tabindex="0" ref=${box}>
    <table class="cards" role="table" aria-label=${caption}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => html`<${Head} key=${column.key} column=${column} sort=${sort} onSort=${onSort} />`)}
        </tr>
      </thead>
      ${slices.map((from) => html`<${Slice} key=${from} from=${from} columns=${columns} rows=${rows} rowKey=${rowKey} rowClass=${rowClass} />`)}
    </table>
  </div>`;
}

/** How many rows are drawn by now: a slice more with each frame, from the first one anew when `what` changes. */
function useDrawn(what, count) {
  const [drawn, setDrawn] = useState({ what, rows: SLICE });
  const rows = drawn.what === what ? drawn.rows : SLICE;
  useLayoutEffect(() => {
    if (rows >= count) return undefined;
    const frame = requestAnimationFrame(() => setDrawn({ what, rows: rows + SLICE }));
    return () => cancelAnimationFrame(frame);
  }, [what, rows, count]);
  return rows;
}

/**
 * Keep the columns of a long table as wide as its first rows made them, so that those which follow move nothing, and
 * leave slices out of sight undrawn (`tables.css`): they stay in the document for keyboard, search and screen readers,
 * but opening a dialog, which styles the whole page anew, does not cost what all rows together cost.
 */
function useSteadyColumns(isLong, columns) {
  const box = useRef(null);
  useLayoutEffect(() => {
    if (!isLong) return undefined;
    const table = box.current.firstElementChild;
    let width = null;
    const steady = () => {
      if (box.current.clientWidth === width) return;
      width = box.current.clientWidth;
      table.classList.remove("steady");
      table.style.minWidth = "";
      table.classList.add("measured"); // with its first rows alone
      const [first] = table.tBodies;
      const widths = [...table.tHead.rows[0].cells].map((head) => `${head.getBoundingClientRect().width}px`);
      table.style.setProperty("--columns", widths.join(" "));
      table.style.setProperty("--row", `${first.getBoundingClientRect().height / first.rows.length}px`);
      table.style.minWidth = `${table.scrollWidth}px`;
      table.classList.replace("measured", "steady");
    };
    const watcher = new ResizeObserver(steady);
    steady();
    watcher.observe(box.current);
    return () => {
      watcher.disconnect();
      table.classList.remove("steady");
      table.style.minWidth = "";
    };
  }, [isLong, columns]);
  return box;
}

/** Drawn once; again only when rows or columns are others, not when a slice follows. */
function Slice({ from, columns, rows, rowKey, rowClass }) {
  return useMemo(
    () => html`<tbody role="rowgroup" style=${{ "--rows": Math.min(SLICE, rows.length - from) }}>
      ${rows.slice(from, from + SLICE).map((row) => html`<tr role="row" key=${rowKey(row)} class=${rowClass?.(row) ?? ""}>${columns.map((column) => cellOf(column, row))}</tr>`)}
    </tbody>`,
    [from, columns, rows],
  );
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

export function Pager({ page, pages, total, onPage, what = "registros", one = what === "registros" ? "registro" : what }) {
  return html`<nav class="pager" aria-label="Páginas">
    <span role="status">${plural(total, one, what)}, página ${page} de ${Math.max(pages, 1)}</span>
    <span class="actions">
      <button type="button" class="small" disabled=${page <= 1} onClick=${() => onPage(page - 1)}>Anterior</button>
      <button type="button" class="small" disabled=${page >= pages} onClick=${() => onPage(page + 1)}>Siguiente</button>
    </span>
  </nav>`;
}
