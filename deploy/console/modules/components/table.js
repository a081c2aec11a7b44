/**
 * The one table of the console: its head stays in sight, its rows can be chosen and copied, and sorted on a phone too, where
 * they are cards; roles are written out because the cards' CSS would take them away.
 */
import { moneyTexts, plural, sumTexts, tsv } from "../formats.js";
import { Fragment, html, useId, useLayoutEffect, useMemo, useRef, useState } from "../html.js";
import { sumsBy } from "../numbers.js";
import { createStore, useStore } from "../store.js";
import { t } from "../texts.js";
import { say } from "./feedback.js";
import { SelectField } from "./fields.js";
import { useWidths } from "./widths.js";

const SLICE = 50; // rows drawn in one go; more would hold the page up

/**
 * @param {object} props
 * @param {string} [props.empty] said where there are no rows
 * @param {string} props.caption what it holds, for screen readers
 * @param {{key: string, title: string, cell: (row: any) => any, number?: boolean, head?: boolean, controls?: boolean,
 *   quiet?: boolean, sortKey?: string, value?: (row: any) => any, adds?: (row: any) => string | null, isMoney?: boolean}[]} props.columns `value`: what its
 *   rows are sorted by here, where nobody else sorts them; `adds`: of which currency or unit a row's `value` is, which are added up
 *   below, each by itself, null where it isn't counted
 * @param {any[]} props.rows
 * @param {(row: any) => string} props.rowKey
 * @param {{key: string, down: boolean}} [props.sort] the column that the rows are sorted by
 * @param {(key: string, down: boolean) => void} [props.onSort]
 * @param {string} [props.total] what the sums below are of, where that isn't all there is
 * @param {string} [props.layout] under which the widths of its columns are remembered; without it they can't be changed
 * @param {boolean} [props.isChoosable] whether rows can be chosen
 * @param {(chosen: any[]) => any} [props.actions] what else can be done with the chosen rows
 * @param {{label: (row: any) => string, has?: (row: any) => boolean, content: (row: any) => any}} [props.inside] what a row opens to,
 *   drawn when somebody opens it
 */
export function Table({ empty = t`No hay nada que mostrar.`, ...table }) {
  return table.rows.length ? html`<${FilledTable} ...${table} />` : html`<p class="empty-note">${empty}</p>`;
}

function FilledTable({ caption, columns, rows: given, rowKey, rowClass, sort: told, onSort: tell, total = t`Total`, layout, isChoosable = false, actions, inside }) {
  const [own, setOwn] = useState(null);
  const sort = tell ? told : own;
  const rows = useMemo(() => (tell ? given : sorted(given, columns, own)), [given, own]);
  const onSort = tell ?? ((key, down) => setOwn({ key, down }));
  const drawn = useDrawn(`${rows.length} ${rowKey(rows[0])}`, rows.length);
  const chosen = useChosen(rows, rowKey);
  const shown = useMemo(() => (isChoosable ? [choiceColumn(chosen, rows, rowKey, columns), ...columns] : columns), [isChoosable, rows, columns]);
  const box = useRef(null);
  const widths = useWidths(layout, shown, box);
  useSteadyColumns(box, rows.length > SLICE, shown.length, widths.now);
  useFitting(box);
  const slices = [];
  for (let from = 0; from < Math.min(drawn, rows.length); from += SLICE) slices.push(from);
  return html`<${PhoneSort} columns=${columns} sort=${sort} onSort=${onSort} canSort=${(column) => sortKeyOf(column, tell) !== undefined} />
    ${isChoosable && html`<${ChosenBar} chosen=${chosen} rows=${rows} rowKey=${rowKey} box=${box} actions=${actions} />`}
    <div class="table-box" role="region" aria-label=${caption} tabindex="0" ref=${box}>
    <table class=${`cards ${widths.now ? "sized" : ""}`} style=${widths.style} role="table" aria-label=${caption}>
      ${widths.cols}
      <thead role="rowgroup">
        <tr role="row">
          ${shown.map((column) => html`<${Head} key=${column.key} column=${column} sortKey=${sortKeyOf(column, tell)} sort=${sort} onSort=${onSort} grip=${column.isChoice ? undefined : widths.grip} />`)}
        </tr>
      </thead>
      ${slices.map((from) => html`<${Slice} key=${from} from=${from} columns=${shown} rows=${rows} rowKey=${rowKey} rowClass=${rowClass} inside=${inside} />`)}
      ${rows.length > 1 && columns.some(({ adds }) => adds) && html`<${Sums} columns=${shown} rows=${rows} words=${total} />`}
    </table>
  </div>`;
}

/** What a column is sorted by: as whoever reads the rows calls it, or here by its values. */
const sortKeyOf = (column, isToldElsewhere) => (isToldElsewhere ? column.sortKey : column.value && column.key);

/** Rows by the values of one column; those without any come last. */
export function sorted(rows, columns, sort) {
  const value = sort && columns.find((column) => column.key === sort.key)?.value;
  if (!value) return rows;
  const isNothing = (each) => each === null || each === undefined || each === "";
  const compare = (one, other) => (typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "es", { numeric: true }));
  return [...rows].sort((first, second) => {
    const [one, other] = [value(first), value(second)];
    if (isNothing(one) || isNothing(other)) return Number(isNothing(one)) - Number(isNothing(other));
    return sort.down ? compare(other, one) : compare(one, other);
  });
}

/** The keys of the chosen rows, of those that are there; each box follows it by itself, so that no row is drawn anew. */
function useChosen(rows, rowKey) {
  const [chosen] = useState(() => createStore(/** @type {Set<any>} */ (new Set())));
  useLayoutEffect(() => {
    const here = new Set(rows.map(rowKey));
    const staying = [...chosen.get()].filter((key) => here.has(key));
    if (staying.length < chosen.get().size) chosen.set(new Set(staying));
  }, [rows]);
  return chosen;
}

function choiceColumn(chosen, rows, rowKey, columns) {
  const name = columns.find((column) => column.head) ?? columns[0];
  const words = (row) => (name.text ?? name.cell)(row);
  return {
    key: "choice", title: html`<${ChooseAll} chosen=${chosen} keys=${rows.map(rowKey)} />`, controls: true, isChoice: true,
    cell: (row) => html`<${Choose} chosen=${chosen} rowKey=${rowKey(row)} words=${words(row)} />`,
  };
}

function Choose({ chosen, rowKey, words }) {
  const [isOn, setOn] = useState(() => chosen.get().has(rowKey));
  useLayoutEffect(() => chosen.subscribe((keys) => setOn(keys.has(rowKey))), [chosen, rowKey]);
  const toggle = (event) => {
    const next = new Set(chosen.get());
    if (event.target.checked) next.add(rowKey);
    else next.delete(rowKey);
    chosen.set(next);
  };
  return html`<input type="checkbox" aria-label=${t`Elegir ${typeof words === "string" ? words : rowKey}`} checked=${isOn} data-choice=${rowKey} onChange=${toggle} />`;
}

function ChooseAll({ chosen, keys }) {
  const count = useStore(chosen).size;
  return html`<input type="checkbox" aria-label=${t`Elegir todas las filas`} checked=${count === keys.length} indeterminate=${count > 0 && count < keys.length}
    onChange=${(event) => chosen.set(new Set(event.target.checked ? keys : []))} />`;
}

/** What can be done with the chosen rows; copying takes what is shown, as it is shown. */
function ChosenBar({ chosen, rows, rowKey, box, actions }) {
  const keys = useStore(chosen);
  const copy = async () => {
    const table = box.current.firstElementChild;
    const wanted = new Set([...keys].map(String));
    const isWanted = (row) => wanted.has(row.querySelector("[data-choice]")?.dataset.choice);
    const found = [...table.tBodies].flatMap((body) => [...body.rows]).filter(isWanted);
    try {
      await navigator.clipboard.writeText(tsv([table.tHead.rows[0], ...found].map(textsOf)));
    } catch {
      return say(t`El navegador no permitió copiar las filas.`); // not allowed, or no clipboard at all
    }
    return say(t`${plural(found.length, t`fila copiada`, t`filas copiadas`)}: péguelas en una planilla.`);
  };
  const all = () => chosen.set(new Set(rows.map(rowKey)));
  return html`<div class="chosen" role="group" aria-label=${t`Filas elegidas`}>
    <span role="status">${keys.size ? t`${plural(keys.size, t`fila elegida`, t`filas elegidas`)} de ${rows.length}` : t`Ninguna fila elegida`}</span>
    ${keys.size < rows.length && html`<button type="button" class="plain small" onClick=${all}>${t`Elegir todas (${rows.length})`}</button>`}
    ${keys.size > 0 && html`<button type="button" class="plain small" onClick=${() => chosen.set(new Set())}>${t`Ninguna`}</button>
      <button type="button" class="small" onClick=${copy}>${t`Copiar`}</button>
      ${actions?.(rows.filter((row) => keys.has(rowKey(row))))}`}
  </div>`;
}

/** The texts of a row's cells, without what is there to be pressed. */
function textsOf(row) {
  const isText = (cell) => !cell.classList.contains("controls");
  const words = (cell) => [...cell.querySelectorAll(".note")].reduce((text, note) => text.replace(note.textContent, ` ${note.textContent}`), cell.textContent);
  return [...row.cells].filter(isText).map((cell) => words(cell).replace(/[↑↓]$/, ""));
}

/** On a phone there is no head to press: the same as a choice. */
function PhoneSort({ columns, sort, onSort, canSort }) {
  const sortable = columns.filter(canSort);
  if (!sortable.length) return null;
  const keyOf = (column) => column.sortKey ?? column.key;
  const options = sortable.flatMap((column) => [{ value: `${keyOf(column)} asc`, label: `${column.title} ↑` }, { value: `${keyOf(column)} desc`, label: `${column.title} ↓` }]);
  const choose = (value) => value && onSort(value.slice(0, value.lastIndexOf(" ")), value.endsWith(" desc"));
  return html`<div class="phone-sort"><${SelectField} label=${t`Ordenar por`} value=${sort ? `${sort.key} ${sort.down ? "desc" : "asc"}` : ""} empty=${t`Como viene`} onInput=${choose} options=${options} /></div>`;
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
function useSteadyColumns(box, isLong, columns, widths) {
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
      const measured = [...table.tHead.rows[0].cells].map((head) => `${head.getBoundingClientRect().width}px`);
      table.style.setProperty("--columns", measured.join(" "));
      table.style.setProperty("--row", `${first.getBoundingClientRect().height / first.rows.length}px`);
      if (!widths) table.style.minWidth = `${table.scrollWidth}px`;
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
  }, [isLong, columns, widths]);
}

/** Tell the styles whether a table is as wide as its box: only then can its head follow the page. */
function useFitting(box) {
  useLayoutEffect(() => {
    const table = box.current.firstElementChild;
    const look = () => box.current.classList.toggle("fits", table.scrollWidth <= box.current.clientWidth + 1);
    const watcher = new ResizeObserver(look);
    look();
    watcher.observe(box.current);
    watcher.observe(table);
    return () => watcher.disconnect();
  }, []);
}

/** Drawn once; again only when rows or columns are others, not when a slice follows. */
function Slice({ from, columns, rows, rowKey, rowClass, inside }) {
  return useMemo(
    () => html`<tbody role="rowgroup" style=${{ "--rows": Math.min(SLICE, rows.length - from) }}>
      ${rows.slice(from, from + SLICE).map((row) => inside
        ? html`<${OpeningRow} key=${rowKey(row)} row=${row} columns=${columns} kind=${rowClass?.(row) ?? ""} inside=${inside} />`
        : html`<tr role="row" key=${rowKey(row)} class=${rowClass?.(row) ?? ""}>${columns.map((column) => cellOf(column, row))}</tr>`)}
    </tbody>`,
    [from, columns, rows, inside],
  );
}

/** A row that another one can be opened beneath; it stays the same one while there is nothing inside. */
function OpeningRow({ row, columns, kind, inside }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const opener = (inside.has?.(row) ?? true) && html`<button type="button" class="plain opener" aria-expanded=${String(isOpen)} aria-controls=${isOpen ? id : undefined}
    aria-label=${inside.label(row)} onClick=${() => setOpen(!isOpen)}></button>`;
  return html`<${Fragment}>
    <tr role="row" class=${kind}>${columns.map((column) => cellOf(column, row, opener))}</tr>
    ${isOpen && opener && html`<tr role="row" class="inside" id=${id}><td role="cell" colspan=${columns.length}>${inside.content(row)}</td></tr>`}
  <//>`;
}

/** What can be added up, each currency and unit by itself. */
function Sums({ columns, rows, words }) {
  const first = columns.findIndex(({ isChoice }) => !isChoice);
  const cells = useMemo(() => columns.map(({ adds, value, isMoney }) => {
    const sums = adds ? sumsBy(rows, adds, value) : [];
    const words = isMoney ? moneyTexts(sums) : sumTexts(sums);
    return sums.length > 0 && words.map((text) => html`<div class="sum">${text}</div>`);
  }), [columns, rows]);
  return html`<tfoot role="rowgroup"><tr role="row">${columns.map((column, at) => cellOf({ ...column, head: at === first, cell: () => (at === first ? html`${words}${cells[at]}` : cells[at]) }, null))}</tr></tfoot>`;
}

function Head({ column, sortKey, sort, onSort, grip }) {
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

function cellOf(column, row, opener = null) {
  const content = column.cell(row);
  const isEmpty = content === null || content === undefined || content === "" || content === false;
  const kind = [column.number && "number", column.isWhole && "nowrap", column.controls && "controls", column.isChoice && "choice", isEmpty && "empty"].filter(Boolean).join(" ");
  if (column.head) return html`<th role="rowheader" scope="row" class=${opener === null ? kind : `${kind} opens`}>${content}${opener}</th>`;
  return html`<td role="cell" class=${kind} data-label=${column.controls ? undefined : column.title}>${isEmpty ? null : html`<div>${content}</div>`}</td>`;
}

export function Pager({ page, pages, total, onPage, what = t`registros`, one = what === t`registros` ? t`registro` : what }) {
  return html`<nav class="pager" aria-label=${t`Páginas`}>
    <span role="status">${t`${plural(total, one, what)}, página ${page} de ${Math.max(pages, 1)}`}</span>
    <span class="actions">
      <button type="button" class="small" disabled=${page <= 1} onClick=${() => onPage(page - 1)}>${t`Anterior`}</button>
      <button type="button" class="small" disabled=${page >= pages} onClick=${() => onPage(page + 1)}>${t`Siguiente`}</button>
    </span>
  </nav>`;
}
