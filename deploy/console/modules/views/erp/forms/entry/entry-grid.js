/** The lines of a new document as a grid: typed by keyboard, pasted from a spreadsheet, with what each comes to. */
import { html, useLayoutEffect, useRef } from "../../../../html.js";
import { t } from "../../../../texts.js";
import { EntryRow } from "./entry-row.js";
import { focusCell, rowsIn, useGridKeys } from "./grid-keys.js";
import { cellsOf, pastedInto } from "./pasted-rows.js";

const PREFIX = "new.";
const isNumeric = ({ type }) => type === "number" || type === "integer";

/** The faults of one line, by column. */
const faultsAt = (faults, at) => Object.fromEntries(Object.entries(faults).flatMap(([path, text]) => (path.startsWith(`${PREFIX}${at}.`) ? [[path.slice(`${PREFIX}${at}.`.length), text]] : [])));

/**
 * @param {object} props
 * @param {Record<string, string>[]} props.lines
 * @param {(change: (lines: Record<string, string>[]) => Record<string, string>[]) => void} props.onChange
 * @param {Record<string, string>} props.faults
 * @param {any[]} props.columns
 * @param {number} [props.priceList]
 * @param {ReturnType<typeof import("./known-records.js").useKnownRecords>} props.items
 */
export function EntryGrid({ lines, onChange, faults, columns, priceList, items }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const wanted = useRef(/** @type {string | null} */ (null)); // the column of a new line that gets the focus
  useLayoutEffect(() => {
    if (wanted.current) focusCell(box.current, lines.length - 1, wanted.current);
    wanted.current = null;
  }, [lines.length]);
  const add = (name) => {
    wanted.current = name;
    onChange((now) => [...now, {}]);
  };
  const keys = useGridKeys(box, add);
  const set = (at, name) => (text) => onChange((now) => now.map((line, index) => (index === at ? { ...line, [name]: text } : line)));
  const remove = (at) => {
    onChange((now) => now.filter((_, index) => index !== at));
    setTimeout(() => focusCell(box.current, Math.min(at, rowsIn(box.current).length - 1), "ItemCode"));
  };
  const paste = (event) => {
    const name = event.target.closest("[data-column]")?.dataset.column;
    const cells = name && cellsOf(event.clipboardData.getData("text/plain"));
    if (!cells?.length) return;
    event.preventDefault();
    const at = rowsIn(box.current).indexOf(event.target.closest("fieldset"));
    const after = pastedInto(lines, cells, { at, name, names: columns.map((column) => column.name) });
    onChange(() => after);
    items.look(after.map((line) => line.ItemCode));
  };
  const leave = (event) => {
    if (event.target.closest("[data-column]")?.dataset.column === "ItemCode") items.look([event.target.value]);
  };
  return html`<div class="entry" data-lines ref=${box} onPaste=${paste} onFocusOut=${leave} ...${keys}>
    <div class="entry-head" aria-hidden="true"><span></span>${columns.map((column) => html`<span key=${column.name} data-column=${column.name} class=${isNumeric(column) ? "number" : ""}>${column.title}</span>`)}<span class="number">${t`Importe`}</span><span></span></div>
    ${lines.map((line, at) => html`<${EntryRow} key=${at} line=${line} at=${at} columns=${columns} item=${items.of(line.ItemCode)} priceList=${priceList} faults=${faultsAt(faults, at)}
      set=${set} onFound=${(record) => items.note(record.ItemCode, record)} onRemove=${lines.length > 1 ? remove : null} />`)}
    <div class="actions"><button type="button" class="small" data-another onClick=${() => add("ItemCode")}>${t`Otra línea`}</button>
      <span class="small muted">${t`Enter baja, Tab avanza; también puede pegar desde una planilla.`}</span></div>
  </div>`;
}
