import assert from "node:assert/strict";
import { test } from "node:test";

import { cellAt, readSheet, withCells } from "../../../deploy/console/modules/views/returns/paste-cells.js";

const withCell = (text, row, column, value) => withCells(readSheet(text), [{ row, column, value }]);
const SHEET = "Código\tCantidad\r\nA1\tdos\r\n\r\nA2\t3\t\"nota\n\"\"larga\"\"\"\nA3";

test("a cell is found by the service's count of rows, past empty rows and cells with line breaks", () => {
  assert.deepEqual([[2, 0], [2, 1], [4, 2], [5, 0], [5, 1], [9, 0]].map(([row, column]) => cellAt(readSheet(SHEET), row, column)), ["A1", "dos", 'nota\n"larga"', "A3", "", ""]);
});

test("one cell gets another value and the rest stays as it is", () => {
  assert.equal(withCell("A\tx\nB\t2", 1, 1, "4"), "A\t4\nB\t2");
  assert.equal(withCell(SHEET, 5, 1, "7"), "Código\tCantidad\nA1\tdos\n\nA2\t3\t\"nota\n\"\"larga\"\"\"\nA3\t7");
  assert.equal(withCell(SHEET, 4, 2, "corta"), "Código\tCantidad\nA1\tdos\n\nA2\t3\tcorta\nA3");
  assert.equal(withCell("A", 1, 3, "7"), "A\t\t\t7");
});

test("a lone quote is text, a value begins no other cell, and a row that is not there stays away", () => {
  assert.equal(cellAt(readSheet('3" tubo\t2\nB\t1'), 2, 0), "B");
  assert.equal(cellAt(readSheet('"lija\t2\nB\t1'), 1, 0), '"lija');
  assert.equal(withCell("A\tx", 1, 1, ' 1\t2\n"3" '), "A\t1 2 3");
  assert.equal(withCell("A\tx", 7, 0, "z"), "A\tx");
});

test("several cells are corrected at once, also two of one row", () => {
  const changes = [{ row: 1, column: 1, value: "10" }, { row: 2, column: 0, value: "BB" }, { row: 2, column: 1, value: "2" }];
  assert.equal(withCells(readSheet("A\tx\nB\ty\nC\t1"), changes), "A\t10\nBB\t2\nC\t1");
});
