import assert from "node:assert/strict";
import { test } from "node:test";

import { faultOf, filterOf, inWords } from "../../../deploy/console/modules/views/erp/conditions.js";

const COLUMNS = [
  { name: "CardName", title: "Nombre", type: "text" },
  { name: "DocTotal", title: "Total", type: "number" },
  { name: "DocDate", title: "Fecha", type: "date" },
  { name: "DocumentStatus", title: "Estado", type: "choice", choices: [{ value: "bost_Open", title: "Abierto" }] },
];

test("conditions become one filter; text is quoted, numbers have a dot, those without a value are left out", () => {
  const conditions = [
    { name: "CardName", operator: "contains", value: "O'Higgins" },
    { name: "DocTotal", operator: "ge", value: "1.234,5" },
    { name: "DocDate", operator: "le", value: "2026-03-31" },
    { name: "DocumentStatus", operator: "eq", value: "" },
  ];
  assert.deepEqual(filterOf(conditions, COLUMNS), {
    refused: [],
    filter: "contains(CardName,'O''Higgins') and DocTotal ge 1234.5 and DocDate le '2026-03-31'",
  });
});

test("a condition that says nothing that can be is refused, and nothing is asked for", () => {
  const wrong = { name: "DocTotal", operator: "ge", value: "mucho" };
  const unknown = { name: "Gone", operator: "eq", value: "1" };
  const { filter, refused } = filterOf([wrong, unknown, { name: "CardName", operator: "eq", value: "x" }], COLUMNS);
  assert.equal(filter, "");
  assert.deepEqual(refused, [
    { condition: wrong, column: COLUMNS[1], fault: "Escriba un número." },
    { condition: unknown, column: undefined, fault: "No hay tal campo." },
  ]);
});

test("only numbers have faults of their own", () => {
  assert.equal(faultOf(COLUMNS[1], "1.500"), "Escriba 1500 o 1,5.");
  assert.equal(faultOf(COLUMNS[1], ""), null);
  assert.equal(faultOf(COLUMNS[0], "1.500"), null);
});

test("a condition is told in words, with the title of a choice", () => {
  assert.equal(inWords({ name: "DocumentStatus", operator: "eq", value: "bost_Open" }, COLUMNS), "Estado es Abierto");
  assert.equal(inWords({ name: "DocTotal", operator: "ge", value: "5" }, COLUMNS), "Total ≥ 5");
  assert.equal(inWords({ name: "Gone", operator: "xx", value: "5" }, COLUMNS), "Gone xx 5");
});
