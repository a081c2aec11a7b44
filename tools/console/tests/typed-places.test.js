import assert from "node:assert/strict";
import { test } from "node:test";

import { placeOf, typedInLines } from "../../../deploy/console/modules/views/erp/forms/typed-places.js";

const COLUMNS = [{ name: "ItemCode", lookup: { resource: "Items" } }, { name: "Quantity" }];

test("lines count as they are sent: those without anything in them are none", () => {
  const typed = typedInLines([{ ItemCode: "A" }, { Quantity: " " }, { Quantity: "2" }], COLUMNS, { prefix: "new.", before: 2 });
  assert.deepEqual(typed.map(({ path, line, text }) => [path, line, text]), [["new.0.ItemCode", 3, "A"], ["new.0.Quantity", 3, ""], ["new.2.ItemCode", 4, ""], ["new.2.Quantity", 4, "2"]]);
});

test("the ERP's message names a field of the head or of a line, or none that was typed", () => {
  const typed = [{ path: "CardCode", name: "CardCode", text: "X", line: null, lookup: null }, ...typedInLines([{}, { ItemCode: "A" }], COLUMNS, { prefix: "new." })];
  assert.equal(placeOf("Invalid BP code  [ORDR.CardCode] , 'X'", typed), "CardCode");
  assert.equal(placeOf("Item number is missing; specify an item number  [RDR1.ItemCode][line: 1]", typed), "new.1.ItemCode");
  assert.equal(placeOf("Enter valid quantity  [DocumentLines.Quantity] [line: 1]", typed), "new.1.Quantity");
  for (const message of ["[RDR1.ItemCode][line: 2]", "[ORDR.Series]", "[ORDR.ItemCode]", "No matching records found (ODBC -2028)", ""]) assert.equal(placeOf(message, typed), null, message);
});
