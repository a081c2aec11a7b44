import assert from "node:assert/strict";
import { test } from "node:test";

import { describedBy } from "../../../deploy/console/modules/api/descriptions.js";
import { documentFields } from "../../../deploy/console/modules/views/erp/forms/entry/document-fields.js";
import { amountOf, listPriceOf, pricedLine } from "../../../deploy/console/modules/views/erp/forms/entry/line-amounts.js";
import { cellsOf, pastedInto } from "../../../deploy/console/modules/views/erp/forms/entry/pasted-rows.js";

const NAMES = ["ItemCode", "Quantity", "UnitPrice", "DiscountPercent", "WarehouseCode"];
const paste = (text, { lines = [{}], at = 0, name = "ItemCode" } = {}) => pastedInto(lines, cellsOf(text), { at, name, names: NAMES });

test("one value goes into its field, rows and columns into the grid", () => {
  assert.equal(cellsOf("A-1"), null);
  assert.equal(cellsOf("A-1\r\n"), null);
  assert.deepEqual(cellsOf("A-1\t2\n"), [["A-1", "2"]]);
  assert.deepEqual(cellsOf("A-1\r\nA-2\r\n\r\n"), [["A-1"], ["A-2"]]);
  assert.deepEqual(cellsOf('"Perno 3/8"""\t 4 '), [['Perno 3/8"', "4"]]);
});

test("a paste fills properties from where it begins, and adds lines", () => {
  assert.deepEqual(paste("A-1\t2\t1.500\nA-2\t3\t\nA-3\t4"), [
    { ItemCode: "A-1", Quantity: "2", UnitPrice: "1.500" }, { ItemCode: "A-2", Quantity: "3", UnitPrice: "" }, { ItemCode: "A-3", Quantity: "4" },
  ]);
  const lines = [{ ItemCode: "A-1", WarehouseCode: "01" }, { ItemCode: "A-2" }];
  assert.deepEqual(paste("5\n6\n7", { lines, name: "Quantity" }), [{ ItemCode: "A-1", WarehouseCode: "01", Quantity: "5" }, { ItemCode: "A-2", Quantity: "6" }, { Quantity: "7" }]);
  assert.deepEqual(paste("8\t$ 90\t10 %", { lines, at: 1, name: "Quantity" })[1], { ItemCode: "A-2", Quantity: "8", UnitPrice: "90", DiscountPercent: "10" });
});

test("columns beyond the last property are left out", () => {
  assert.deepEqual(paste("01\tresto", { name: "WarehouseCode" }), [{ WarehouseCode: "01" }]);
});

test("a description between code and quantity belongs to nothing", () => {
  assert.deepEqual(paste("A-1\tTornillo\t2\nA-2\tTuerca 5\t3"), [{ ItemCode: "A-1", Quantity: "2" }, { ItemCode: "A-2", Quantity: "3" }]);
  assert.deepEqual(paste("A-1\t2\tx\n"), [{ ItemCode: "A-1", Quantity: "2", UnitPrice: "x" }]);
});

test("a heading says which column is which, in any order, accents and capitals", () => {
  assert.deepEqual(paste("CANT.\tDescripción\tCódigo\tBodega\n2\tTornillo\tA-1\t01\n3\tTuerca\tA-2\t02"), [
    { Quantity: "2", ItemCode: "A-1", WarehouseCode: "01" }, { Quantity: "3", ItemCode: "A-2", WarehouseCode: "02" },
  ]);
  assert.deepEqual(paste("Código\tCantidad"), [{}]); // a heading alone changes nothing
  assert.deepEqual(paste("Artículo\tArtículo\tCantidad\nA-1\tTornillo\t2"), [{ ItemCode: "A-1", Quantity: "2" }]);
});

test("an item's price is that of the partner's list", () => {
  const item = { ItemPrices: [{ PriceList: 1, Price: 100, Currency: null }, { PriceList: 2, Price: 12.5, Currency: "USD" }, { PriceList: 3, Price: 0 }] };
  assert.deepEqual(listPriceOf(item, 1), { value: 100, currency: null });
  assert.deepEqual(listPriceOf(item, 2), { value: 12.5, currency: "USD" });
  for (const list of [3, 4, undefined]) assert.equal(listPriceOf(item, list), null);
  assert.equal(listPriceOf(null, 1), null);
});

test("a line comes to its own price or the list's, less its discount", () => {
  const columns = [["ItemCode", "text"], ["Quantity", "number"], ["UnitPrice", "number"], ["DiscountPercent", "number"]].map(([name, type]) => ({ name, type }));
  const list = { value: 100, currency: null };
  const amount = (line) => amountOf(pricedLine(line, columns, list));
  assert.deepEqual(amount({ ItemCode: "A-1", Quantity: "3" }), { value: 300, currency: null });
  assert.deepEqual(amount({ ItemCode: "A-1", Quantity: "3", UnitPrice: "1.000", DiscountPercent: "10" }), { value: 2700, currency: null });
  assert.equal(amount({ ItemCode: "A-1" }), null);
  assert.equal(amount({ ItemCode: "A-1", Quantity: "tres" }), null);
  assert.equal(amount({}), null);
  assert.deepEqual(amountOf(pricedLine({ Quantity: "2" }, columns, { value: 5, currency: "USD" })), { value: 10, currency: "USD" });
});

test("a document has the fields that the ERP describes, and a copy those of its document besides", () => {
  const field = (name) => ({ name, title: name, type: "text", choices: [] });
  const described = describedBy({ complete: true, fields: ["CardCode", "DocDate", "Comments"].map(field), collections: [{ name: "DocumentLines", title: "Líneas", fields: ["ItemCode", "Quantity", "WarehouseCode"].map(field) }] });
  const names = (columns) => columns.map(({ name }) => name);
  const fresh = documentFields(described, null);
  assert.deepEqual([names(fresh.head), names(fresh.behind), names(fresh.lineColumns)], [["CardCode", "DocDate"], ["Comments"], ["ItemCode", "Quantity", "WarehouseCode"]]);
  const copy = documentFields(described, { CardCode: "C1", DocCurrency: "USD", DocumentLines: [{ ItemCode: "A-1", Quantity: 2, Currency: "EUR" }] });
  assert.deepEqual([names(copy.head), names(copy.lineColumns)], [["CardCode", "DocDate", "DocCurrency"], ["ItemCode", "Quantity", "WarehouseCode", "Currency"]]);
  assert.equal(copy.start.texts.CardCode, "C1");
});
