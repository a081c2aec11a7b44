/** Moving in a grid of lines as in a spreadsheet: Enter leads down, Tab right, and Enter after Tab back to where the row began. */
import { isEnter } from "../../../../forms/enter.js";
import { useRef } from "../../../../html.js";

/** The rows of a grid, as elements. */
export const rowsIn = (box) => [...box.querySelectorAll(":scope > fieldset")];
const nameOf = (element) => element.closest("[data-column]")?.dataset.column;
const rowOf = (box, element) => rowsIn(box).indexOf(element.closest("fieldset"));

/** Give a field of the grid the focus. @returns {boolean} whether there is one */
export function focusCell(box, row, name) {
  const field = /** @type {HTMLInputElement | null} */ (rowsIn(box)[row]?.querySelector(`[data-column="${name}"] :is(input, select)`));
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
  return Boolean(field);
}

const isBlankRow = (row) => [...row.querySelectorAll("input, select")].every((each) => each.value.trim() === "");

/**
 * @param {{current: any}} box around the rows
 * @param {(name: string) => void} onAnother adds a row, whose field of that name gets the focus
 */
export function useGridKeys(box, onAnother) {
  const began = useRef({ row: -1, name: "" }); // where Tab set out in the row that has the focus
  const isTab = useRef(false);
  const focusIn = (event) => {
    const name = nameOf(event.target);
    if (!name) return;
    const row = rowOf(box.current, event.target);
    if (!isTab.current || began.current.row !== row) began.current = { row, name };
    isTab.current = false;
  };
  const press = (event) => {
    isTab.current = event.key === "Tab";
    if (event.defaultPrevented || !isEnter(event) || !nameOf(event.target)) return;
    event.preventDefault();
    const rows = rowsIn(box.current);
    const row = rowOf(box.current, event.target);
    const { name } = began.current;
    if (event.shiftKey) focusCell(box.current, row - 1, name);
    else if (row < rows.length - 1) focusCell(box.current, row + 1, name);
    else if (!isBlankRow(rows[row])) onAnother(name);
  };
  return { onFocusIn: focusIn, onKeyDown: press };
}
