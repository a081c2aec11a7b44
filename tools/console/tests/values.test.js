import assert from "node:assert/strict";
import { test } from "node:test";

import { hrefTo, parseHash } from "../../../deploy/console/modules/addresses.js";
import { day, money, number, plural } from "../../../deploy/console/modules/formats.js";
import { collectionTitle, fieldTitle, placeInWords, titleOf } from "../../../deploy/console/modules/titles.js";
import { columnsOfLines, guessType, knownFirst, write } from "../../../deploy/console/modules/views/erp/values.js";

test("a value is written by its column's type, and by what it looks like where nothing is known", () => {
  assert.equal(write(1234.5, { type: "number" }), "1.234,5");
  assert.equal(write(1234, { type: "integer" }), "1234");
  assert.equal(write("2026-03-31T00:00:00Z", undefined, "DocDate"), "31-03-2026");
  assert.equal(write(101926, undefined, "DocNum"), "101926");
  assert.equal(write("tYES"), "Sí");
  assert.equal(write("C", { type: "choice", choices: [{ value: "C", title: "Cerrado" }] }), "Cerrado");
  for (const nothing of [null, undefined, ""]) assert.equal(write(nothing, undefined), "");
});

test("numbers that name something are no amounts", () => {
  const named = ["DocNum", "DocEntry", "Series", "BaseType", "EmployeeID", "LineNum", "GroupCode"];
  assert.deepEqual(named.map((name) => guessType(1, name)), named.map(() => "integer"));
  assert.equal(guessType(1, "DocTotal"), "number");
  assert.equal(guessType("2026-03-31"), "date");
});

test("columns that people have a word for come first, in the order of the alphabet", () => {
  const columns = [{ name: "U_X", title: "U_X" }, { name: "B", title: "Útil" }, { name: "A", title: "Área" }];
  assert.deepEqual(knownFirst(columns).map(({ name }) => name), ["A", "B", "U_X"]);
});

test("of a collection those properties become columns that say anything", () => {
  const line = { LineNum: 0, ItemCode: "A1", Quantity: 2, UnitPrice: 3, FreeText: null, DocumentLinesBinAllocations: [] };
  assert.deepEqual(columnsOfLines([line]), ["LineNum", "ItemCode", "Quantity", "UnitPrice"]);
  assert.deepEqual(columnsOfLines([{ Name: "x", Rest: [], Empty: "" }]), ["Name"]);
  assert.deepEqual(columnsOfLines([]), []);
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

test("fields have titles, and a place in a request is told in words", () => {
  assert.equal(titleOf("DocNum", [{ name: "DocNum", title: "N°" }]), "N°");
  assert.equal(titleOf("DocNum"), "Número");
  assert.equal(titleOf("U_X"), "U_X");
  assert.equal(collectionTitle("DocumentLines"), "Líneas");
  assert.equal(fieldTitle("itemCode"), "Artículo");
  assert.equal(placeInWords("lineas[2].itemCode"), "Artículo, línea 3");
  assert.equal(placeInWords("xyz"), null);
});
