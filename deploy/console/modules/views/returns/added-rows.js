/** Rows of items that are typed or scanned. */
import { isEnter } from "../../forms/enter.js";
import { useLayoutEffect, useRef, useState } from "../../html.js";
import { addedUp } from "./sheet.js";

let lastRow = 0;
const newRow = () => ({ id: ++lastRow, itemCode: "", cantidad: "", motivo: "" });
const isBlank = (row) => row.itemCode.trim() === "" && row.cantidad.trim() === "";

/** Whether a row names an item and a quantity. */
export const isWhole = (row) => row.itemCode.trim() !== "" && row.cantidad.trim() !== "";

export function useAddedRows() {
  const [rows, setRows] = useState(() => [newRow()]);
  const box = useRef(null);
  const focusLast = () => box.current.querySelector("fieldset:last-of-type input").focus();
  useLayoutEffect(focusLast, [rows.at(-1).id]);
  const goOn = (rest) => {
    const isNext = rest.at(-1).itemCode.trim() === "";
    setRows(isNext ? rest : [...rest, newRow()]);
    if (isNext) focusLast();
  };
  /** A scanner types a code and ends with Enter: the same item again adds to its quantity, another one gets the next row. */
  const scanned = (row) => (event) => {
    if (!isEnter(event)) return;
    event.preventDefault();
    const code = row.itemCode.trim();
    if (code === "") return;
    const known = rows.find((each) => each !== row && each.itemCode.trim().toUpperCase() === code.toUpperCase());
    const counted = { ...row, cantidad: row.cantidad.trim() || "1" };
    const sum = known && addedUp(known.cantidad, counted.cantidad);
    if (sum !== undefined) {
      setRows(rows.map((each) => (each === known ? { ...each, cantidad: sum } : each === row ? { ...row, itemCode: "", cantidad: "" } : each)));
    } else {
      goOn(rows.map((each) => (each === row ? counted : each)));
    }
  };
  /** A scanner may read into a quantity: that sends nothing. */
  const amountRead = (event) => {
    if (!isEnter(event)) return;
    event.preventDefault();
    goOn(rows);
  };
  return {
    rows, box, scanned, amountRead, setRows,
    written: rows.filter((row) => !isBlank(row)),
    add: () => setRows([...rows, newRow()]),
    remove: (id) => setRows(rows.filter((row) => row.id !== id)),
    set: (id, name) => (value) => setRows((now) => now.map((row) => (row.id === id ? { ...row, [name]: value } : row))),
    restore: (typed) => setRows(typed.map((row) => ({ ...row, id: newRow().id }))),
  };
}
