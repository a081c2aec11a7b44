import assert from "node:assert/strict";
import { test } from "node:test";

import { hrefTo, parseHash } from "../../../deploy/console/modules/addresses.js";
import { day, money, moneyTexts, number, plural } from "../../../deploy/console/modules/formats.js";
import { NO_CURRENCIES, currencies } from "../../../deploy/console/modules/currencies.js";
import { sumsBy } from "../../../deploy/console/modules/numbers.js";
import { addedBy, describedBy, guessType, titleAt } from "../../../deploy/console/modules/api/descriptions.js";
import { fieldTitle, placeInWords } from "../../../deploy/console/modules/titles.js";
import { columnsOfLines } from "../../../deploy/console/modules/views/erp/line-columns.js";
import { knownFirst, write } from "../../../deploy/console/modules/views/erp/write-value.js";
import { writeIn } from "../../../deploy/console/modules/views/erp/amounts.js";

test("a value is written as its field is described", () => {
  assert.equal(write(1234.5, { type: "number" }), "1.234,5");
  assert.equal(write(1234, { type: "integer" }), "1234");
  assert.equal(write("2026-03-31T00:00:00Z", { type: "date" }), "31-03-2026");
  assert.equal(write("C", { type: "choice", choices: [{ value: "C", title: "Cerrado" }] }), "Cerrado");
  for (const nothing of [null, undefined, ""]) assert.equal(write(nothing, { type: "text" }), "");
});

test("where nobody describes them, numbers that name something are no amounts", () => {
  const named = ["DocNum", "DocEntry", "Series", "BaseType", "EmployeeID", "LineNum", "GroupCode"];
  assert.deepEqual(named.map((name) => guessType(1, name)), named.map(() => "integer"));
  assert.equal(guessType(1, "DocTotal"), "number");
  assert.equal(guessType("2026-03-31"), "date");
});

test("columns that people have a word for come first, in the order of the alphabet", () => {
  const columns = [{ name: "U_X", title: "U_X" }, { name: "B", title: "Útil" }, { name: "A", title: "Área" }];
  assert.deepEqual(knownFirst(columns).map(({ name }) => name), ["A", "B", "U_X"]);
});

const ALL = { isNamed: () => true };

test("of a collection those properties become columns that say anything", () => {
  const line = { LineNum: 0, ItemCode: "A1", Quantity: 2, UnitPrice: 3, FreeText: null, DocumentLinesBinAllocations: [] };
  assert.deepEqual(columnsOfLines([line], ALL), ["LineNum", "ItemCode", "Quantity", "UnitPrice"]);
  assert.deepEqual(columnsOfLines([{ Name: "x", Rest: [], Empty: "" }], ALL), ["Name"]);
  assert.deepEqual(columnsOfLines([], ALL), []);
});

test("values are written for people in Chile", () => {
  assert.equal(number(1234567.25), "1.234.567,25");
  assert.equal(money(1500, "CLP"), "1.500 CLP");
  assert.equal(money(null, "CLP"), "");
  assert.equal(day("2026-13-99"), "2026-13-99");
  assert.equal(plural(1, "fila", "filas"), "1 fila");
  assert.equal(plural(1200, "fila", "filas"), "1.200 filas");
});

test("an address reads back as what it was made of", () => {
  const href = hrefTo(["erp", "BusinessPartners", "C/1 %"], { pagina: 2, orden: "" });
  assert.equal(href, "#/erp/BusinessPartners/C%2F1%20%25?pagina=2");
  const { segments, query } = parseHash(href);
  assert.deepEqual(segments, ["erp", "BusinessPartners", "C/1 %"]);
  assert.equal(query.get("pagina"), "2");
  assert.deepEqual(parseHash("#/erp/100%").segments, ["erp", "100%"]);
});

test("fields are called as the gateway tells, else as the ERP calls them", () => {
  const fields = [{ name: "DocNum", title: "Número", type: "integer", choices: [] }, { name: "U_X", title: null, type: "number", choices: [] }];
  const street = { name: "Street", title: "Calle", type: "text", choices: [] };
  const described = describedBy({ complete: true, fields, collections: [{ name: "BPAddresses", title: null, fields: [street] }] });
  assert.deepEqual(["DocNum", "U_X", "Nobody"].map(described.titleOf), ["Número", "U_X", "Nobody"]);
  assert.equal(described.fieldOf("U_X").type, "number");
  assert.deepEqual(described.fieldOf("DocDate", "2026-03-31"), { name: "DocDate", title: "DocDate", type: "date", choices: [], lookup: null });
  assert.equal(described.collectionTitle("BPAddresses"), "BPAddresses");
  assert.equal(described.of("BPAddresses").titleOf("Street"), "Calle");
  assert.equal(described.of("Others").titleOf("Street"), "Street");
  assert.deepEqual(["BPAddresses[1].Street", "DocNum", "Others[1].Street"].map((path) => titleAt(described, path)), ["Calle", "Número", null]);
  assert.equal(placeInWords("BPAddresses[1].Street", (path) => titleAt(described, path)), "Calle, línea 2");
});

test("a place in a request is told in words", () => {
  assert.equal(fieldTitle("itemCode"), "Artículo");
  assert.equal(placeInWords("lineas[2].itemCode"), "Artículo, línea 3");
  assert.equal(placeInWords("xyz"), null);
});

test("numbers add up by the currency or unit that the gateway names, in the row or the record around it", () => {
  const byUnit = addedBy({ kind: "quantity", by: "InventoryUOM", adds: true }, { InventoryUOM: "KG" });
  assert.equal(byUnit({ InventoryUOM: "UN" }), "UN");
  assert.equal(byUnit({}), "KG");
  assert.equal(addedBy({ kind: "quantity", by: "MeasureUnit", adds: true })({ MeasureUnit: null }), "");
  assert.equal(addedBy({ kind: "amount", by: "DocCurrency", adds: true })({ DocCurrency: "" }), "sin\u00a0moneda");
  assert.equal(addedBy({ kind: "amount", by: null, adds: true })({}), "moneda\u00a0local");
  for (const none of [null, undefined, { kind: "amount", by: null, adds: false }]) assert.equal(addedBy(none), undefined);
});

test("an amount is told in its own currency, with the company's beside it", () => {
  const total = { name: "DocTotal", type: "number", measure: { kind: "amount", by: null, adds: true } };
  const own = { name: "DocTotalFc", type: "number", measure: { kind: "amount", by: "DocCurrency", adds: true } };
  const price = { name: "UnitPrice", type: "number", measure: { kind: "amount", by: "Currency", adds: false } };
  const line = { name: "LineTotal", type: "number", measure: { kind: "amount", by: null, adds: true } };
  const receipt = { DocTotal: 4648497, DocTotalFc: 5176.5, DocCurrency: "USD" };
  const pesos = { DocTotal: 1190, DocTotalFc: 0, DocCurrency: "CLP" };
  assert.equal(writeIn(4648497, total, receipt), "5.176,50 USD · 4.648.497"); // nobody has told the company's currency yet
  currencies.set({ local: "CLP", decimals: { CLP: 0, USD: 2, XBT: 4 } });
  try {
    assert.equal(writeIn(4648497, total, receipt), "5.176,50 USD · 4.648.497 CLP");
    assert.equal(writeIn(4648497, total, { DocTotal: 4648497, DocCurrency: "USD" }), "4.648.497 CLP");
    assert.equal(writeIn(5176.5, own, receipt), "5.176,50 USD");
    assert.equal(writeIn(1190, total, pesos), "1.190 CLP");
    assert.equal(writeIn(1190.4, total, pesos), "1.190 CLP"); // pesos have no decimals
    assert.equal(writeIn(2.125, price, { Currency: "USD" }), "2,125 USD");
    assert.equal(writeIn(2.5, price, { Currency: "USD" }), "2,50 USD");
    assert.equal(writeIn(1500.5, price, { Currency: "CLP" }), "1.500,5 CLP");
    assert.equal(writeIn(1, own, { DocCurrency: "XBT" }), "1,0000 XBT"); // as the ERP says
    assert.equal(writeIn(1.5, own, { DocCurrency: "##" }), "1,5 ##");
    assert.equal(writeIn(898000, line, { RowTotalFC: 1000, Currency: "USD" }, receipt), "1.000,00 USD · 898.000 CLP");
    assert.equal(writeIn(null, total, receipt), "");
    assert.equal(writeIn(3, { name: "Quantity", type: "number", measure: { kind: "quantity", by: "MeasureUnit", adds: true } }, {}), "3");
    const sums = sumsBy([receipt, { ...receipt }, pesos], addedBy(own.measure), ({ DocTotalFc }) => DocTotalFc);
    assert.deepEqual(moneyTexts(sums), ["10.353,00\u00a0USD", "0\u00a0CLP"]);
    assert.equal(addedBy(total.measure)(receipt), "CLP");
  } finally {
    currencies.set(NO_CURRENCIES);
  }
});
