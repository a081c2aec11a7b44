import assert from "node:assert/strict";
import { test } from "node:test";

import { stacked } from "../../../deploy/console/modules/components/stacked.js";
import { drawingOf } from "../../../deploy/console/modules/views/reports/chart-data.js";

const chart = { x: "mes", y: "neto", series: "cliente", kind: "bars" };
const row = (mes, cliente, neto, more = {}) => ({ mes, cliente, neto, ...more });

test("rows of one category and series are added up, in the order of the rows", () => {
  const { categories, series } = drawingOf([row("2025-02", "B", 1), row("2025-01", "A", 0.1), row("2025-01", "A", 0.2), row("2025-02", "A", 5)], chart);
  assert.deepEqual(categories, ["2025-02", "2025-01"]);
  assert.deepEqual(series, [{ name: "B", values: [1, null] }, { name: "A", values: [5, 0.3] }]);
});

test("without a series there is one; what has no value is no category of its own name", () => {
  const { categories, series } = drawingOf([row(null, "A", 1), row("", "B", 2), row("enero", "B", "no es número")], { ...chart, series: null });
  assert.deepEqual(categories, ["sin dato", "enero"]);
  assert.deepEqual(series, [{ name: "", values: [3, null] }]);
});

test("beyond seven series the smallest are drawn as one", () => {
  const rows = Array.from({ length: 12 }, (_, at) => row("enero", `C${at}`, 100 - at));
  const { series } = drawingOf(rows, chart);
  assert.equal(series.length, 8);
  assert.deepEqual(series.at(-1), { name: "Otros (5)", values: [93 + 92 + 91 + 90 + 89] });
  assert.equal(drawingOf(rows.slice(0, 8), chart).series.at(-1).name, "C7"); // eight need no others
});

test("of many bars the largest are drawn, of a line all points", () => {
  const rows = Array.from({ length: 100 }, (_, at) => row(`D${at}`, "A", at - 50));
  const { categories, left } = drawingOf(rows, chart);
  assert.equal(categories.length, 40);
  assert.equal(left, 60);
  assert.equal(categories[0], "D0"); // -50 is large, too
  assert.equal(drawingOf(rows, { ...chart, kind: "line" }).categories.length, 100);
});

test("different currencies are not drawn together, and nothing is drawn of no numbers", () => {
  const rows = [row("enero", "A", 1, { moneda: "CLP" }), row("enero", "A", 1, { moneda: "USD" })];
  assert.match(drawingOf(rows, chart, { by: "moneda" }).fault, /monedas/);
  assert.equal(drawingOf(rows.slice(1), chart, { by: "moneda" }).fault, undefined);
  assert.match(drawingOf([row("enero", "A", null)], chart).fault, /números/);
});

test("bars stand on each other, those below zero hang from it", () => {
  assert.deepEqual(stacked([{ values: [1, -1] }, { values: [2, null] }, { values: [-4, -2] }]), [
    [{ from: 0, to: 1 }, { from: 0, to: -1 }],
    [{ from: 1, to: 3 }, { from: 0, to: 0 }],
    [{ from: 0, to: -4 }, { from: -1, to: -3 }],
  ]);
});
