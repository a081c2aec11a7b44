import assert from "node:assert/strict";
import { test } from "node:test";

import { describedBy } from "../../../deploy/console/modules/api/descriptions.js";
import { differencesOf } from "../../../deploy/console/modules/views/erp/forms/conflict/differences.js";
import { choiceKey, mergedChange, sideOf, undecided } from "../../../deploy/console/modules/views/erp/forms/conflict/merged-change.js";
import { shapesOf } from "../../../deploy/console/modules/views/erp/forms/row-shapes.js";

const number = (name) => ({ name, title: name, type: "number", choices: [] });
const text = (name) => ({ name, title: name, type: "text", choices: [] });
const DESCRIBED = describedBy({ complete: true, fields: [text("Comments"), text("NumAtCard"), { ...number("DocTotal"), measure: { kind: "amount", by: null, adds: true } }], collections: [
  { name: "DocumentLines", title: "Líneas", fields: [text("ItemCode"), number("Quantity"), number("UnitPrice"), text("WarehouseCode")] },
  { name: "DocumentAdditionalExpenses", title: "Gastos", fields: [] },
] });
const LINE_0 = { LineNum: 0, ItemCode: "A", ItemDescription: "Arroz", Quantity: 2, UnitPrice: 10, LineTotal: 20, LineStatus: "bost_Open" };
const LINE_1 = { LineNum: 1, ItemCode: "B", ItemDescription: "Bolsa", Quantity: 3, UnitPrice: 5, LineTotal: 15, LineStatus: "bost_Open" };
const BEFORE = { DocEntry: 9, Comments: null, NumAtCard: null, DocTotal: 35, DocumentStatus: "bost_Open", UpdateTime: "1", DocumentLines: [LINE_0, LINE_1] };
const [shape] = shapesOf(BEFORE, DESCRIBED);
const NOTHING_DONE = { changes: {}, removed: new Set(), fresh: [] };

function conflict({ now = {}, mine = {}, done = {} }) {
  const record = { ...BEFORE, ...now };
  const parts = [{ shape, done: { ...NOTHING_DONE, ...done } }];
  const differences = differencesOf({ described: DESCRIBED, before: BEFORE, now: record, mine, parts, keyNames: ["DocEntry"] });
  const of = (path) => differences.find((each) => each.path === path);
  const send = (sides = {}) => mergedChange(differences, Object.fromEntries(Object.entries(sides).map(([path, side]) => [choiceKey(of(path)), side])), record, parts);
  return { differences, of, send, paths: differences.map(({ path }) => path) };
}

test("a field that one side changed keeps that side's value, and either can be chosen", () => {
  const { paths, of, send } = conflict({ now: { NumAtCard: "OC-1" }, mine: { Comments: "x" } });
  assert.deepEqual(paths, ["Comments", "NumAtCard"]);
  assert.deepEqual([of("Comments").side, of("NumAtCard").side], ["mine", "theirs"]);
  assert.deepEqual(send().changes, { Comments: "x" });
  assert.deepEqual(send({ Comments: "theirs" }).changes, {});
  assert.deepEqual(send({ NumAtCard: "mine" }).changes, { Comments: "x", NumAtCard: null });
});

test("a field that both changed needs a decision; one that both changed alike is no difference", () => {
  const { differences, of, send } = conflict({ now: { Comments: "ellos", NumAtCard: "1" }, mine: { Comments: "yo", NumAtCard: "1" } });
  assert.deepEqual(differences.map(({ path }) => path), ["Comments"]);
  assert.deepEqual(undecided(differences, {}).map(({ path }) => path), ["Comments"]);
  assert.equal(undecided(differences, { [choiceKey(of("Comments"))]: "theirs" }).length, 0);
  assert.deepEqual([of("Comments").before, of("Comments").theirs, of("Comments").mine], ["", "ellos", "yo"]);
  assert.deepEqual(send({ Comments: "mine" }).changes, { Comments: "yo" });
});

test("a choice ends when the other side changes the field once more", () => {
  const first = conflict({ now: { Comments: "uno" }, mine: { Comments: "yo" } }).of("Comments");
  const second = conflict({ now: { Comments: "dos" }, mine: { Comments: "yo" } }).of("Comments");
  const choices = { [choiceKey(first)]: "mine" };
  assert.deepEqual([sideOf(first, choices), sideOf(second, choices)], ["mine", null]);
});

test("what the ERP computes follows from the rest, and what it sets is shown without a choice", () => {
  const { differences } = conflict({ now: { DocTotal: 40, UpdateTime: "2", DocumentStatus: "bost_Close" }, mine: { Comments: "x" } });
  assert.deepEqual(differences.map(({ path, effect }) => [path, effect !== null]), [["Comments", true], ["DocumentStatus", false]]);
});

test("another item on a line is seen, and a quantity typed for the former item is not taken unasked", () => {
  const now = { DocumentLines: [{ ...LINE_0, ItemCode: "C", ItemDescription: "Cable", LineTotal: 99 }, LINE_1] };
  const alone = conflict({ now, mine: { Comments: "x" } });
  assert.deepEqual(alone.paths, ["Comments", "DocumentLines.0.ItemCode"]);
  assert.deepEqual([alone.of("DocumentLines.0.ItemCode").theirs, alone.of("DocumentLines.0.ItemCode").side], ["C", "theirs"]);
  assert.deepEqual(alone.send({ "DocumentLines.0.ItemCode": "mine" }).changes.DocumentLines, [{ LineNum: 0, ItemCode: "A" }]);
  const both = conflict({ now, done: { changes: { 0: { Quantity: 7 } } } });
  assert.deepEqual(undecided(both.differences, {}).map(({ path }) => path), ["DocumentLines.0.Quantity"]);
  assert.deepEqual(both.send({ "DocumentLines.0.Quantity": "mine" }).changes.DocumentLines, [{ LineNum: 0, Quantity: 7 }]);
});

test("changes of one line by both sides are merged cell by cell", () => {
  const now = { DocumentLines: [{ ...LINE_0, UnitPrice: 12 }, { ...LINE_1, LineStatus: "bost_Close" }] };
  const { paths, send } = conflict({ now, done: { changes: { 0: { Quantity: 7 } } } });
  assert.deepEqual(paths, ["DocumentLines.0.Quantity", "DocumentLines.0.UnitPrice", "DocumentLines.1.LineStatus"]);
  assert.deepEqual(send(), { changes: { DocumentLines: [{ LineNum: 0, Quantity: 7 }] }, replaces: false, resizes: false });
});

test("a line that they added stays unless its removal is chosen", () => {
  const now = { DocumentLines: [LINE_0, LINE_1, { ...LINE_1, LineNum: 2, ItemCode: "D" }] };
  const { of, send } = conflict({ now, mine: { Comments: "x" } });
  assert.deepEqual([of("DocumentLines.2").theirs, of("DocumentLines.2").side], ["D × 3", "theirs"]);
  assert.deepEqual(send().changes, { Comments: "x" });
  assert.deepEqual(send({ "DocumentLines.2": "mine" }), { changes: { Comments: "x", DocumentLines: [{ LineNum: 0 }, { LineNum: 1 }] }, replaces: true, resizes: true });
});

test("a line that they took out can be put back with what was typed in it", () => {
  const now = { DocumentLines: [LINE_0] };
  const { of, send } = conflict({ now, done: { changes: { 1: { Quantity: 8 } } } });
  assert.deepEqual([of("DocumentLines.1").side, of("DocumentLines.1").mine], [null, "B × 8"]);
  assert.deepEqual(send({ "DocumentLines.1": "mine" }).changes.DocumentLines, [{ LineNum: 0 }, { ItemCode: "B", Quantity: 8, UnitPrice: 5 }]);
  assert.deepEqual(send({ "DocumentLines.1": "theirs" }).changes, {});
});

test("a line taken out here goes, unless they changed it meanwhile: then one is asked", () => {
  const done = { removed: new Set([1]) };
  assert.deepEqual(conflict({ now: { NumAtCard: "x" }, done }).send().changes.DocumentLines, [{ LineNum: 0 }]);
  const changed = conflict({ now: { DocumentLines: [LINE_0, { ...LINE_1, Quantity: 4 }] }, done });
  assert.equal(changed.of("DocumentLines.1").side, null);
  assert.equal(conflict({ now: { DocumentLines: [LINE_0] }, done }).differences.length, 0);
});

test("a line added here goes behind theirs, and another collection is named without a choice", () => {
  const now = { DocumentLines: [LINE_0, LINE_1, { ...LINE_1, LineNum: 2 }], DocumentAdditionalExpenses: [{ LineTotal: 1 }] };
  const { of, send } = conflict({ now, done: { fresh: [{ ItemCode: "N", Quantity: 1 }] } });
  assert.deepEqual([of("DocumentAdditionalExpenses").title, of("DocumentAdditionalExpenses").effect], ["Gastos", null]);
  assert.deepEqual(send().changes.DocumentLines, [{ LineNum: 0 }, { LineNum: 1 }, { LineNum: 2 }, { ItemCode: "N", Quantity: 1 }]);
});

test("addresses of a partner are merged by their whole keys, and one that they removed is put back only on request", () => {
  const key = { BPCode: "C1", AddressName: "Despacho", AddressType: "bo_ShipTo", RowNum: 4 };
  const other = { BPCode: "C1", AddressName: "Obra", AddressType: "bo_ShipTo", RowNum: 5, Street: "Z", City: "Y" };
  const before = { CardCode: "C1", BPAddresses: [{ ...key, Street: "A", City: "B" }, other] };
  const now = { CardCode: "C1", BPAddresses: [{ ...key, Street: "A2", City: "B", ZipCode: "7" }] };
  const [addresses] = shapesOf(before, describedBy({ complete: true, fields: [], collections: [{ name: "BPAddresses", title: "Direcciones", fields: [] }] }));
  const parts = [{ shape: addresses, done: { ...NOTHING_DONE, changes: { 4: { City: "B2" } } } }];
  const differences = differencesOf({ described: DESCRIBED, before, now, mine: {}, parts, keyNames: ["CardCode"] });
  assert.deepEqual(differences.map(({ path, side }) => [path, side]), [["BPAddresses.4.City", "mine"], ["BPAddresses.4.Street", "theirs"], ["BPAddresses.4.ZipCode", "theirs"], ["BPAddresses.5", "theirs"]]);
  assert.deepEqual(mergedChange(differences, {}, now, parts), { changes: { BPAddresses: [{ ...key, City: "B2" }] }, replaces: false, resizes: false });
  const back = { [choiceKey(differences[3])]: "mine" };
  assert.deepEqual(mergedChange(differences, back, now, parts).changes.BPAddresses, [{ ...key, City: "B2" }, { AddressName: "Obra", AddressType: "bo_ShipTo", Street: "Z", City: "Y" }]);
});
