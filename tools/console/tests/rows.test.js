import assert from "node:assert/strict";
import { test } from "node:test";

import { describedBy } from "../../../deploy/console/modules/api/descriptions.js";
import { linesOf, meaningOf, rowsToSend, sameTexts, shapesOf, withUnits } from "../../../deploy/console/modules/views/erp/forms/row-shapes.js";

const BILL = { BPCode: "C1", AddressName: "Facturación", AddressType: "bo_BillTo", RowNum: 0 };
const SHIP = { BPCode: "C1", AddressName: "Despacho", AddressType: "bo_ShipTo", RowNum: 4 };
const PARTNER = { CardCode: "C1", ContactEmployees: [], BPAddresses: [{ ...BILL, Street: "A" }, { ...SHIP, Street: "B" }], Other: [{ RowNum: 1 }] };
const ORDER = { DocumentLines: [{ LineNum: 0, ItemCode: "A1", Quantity: 1 }, { LineNum: 2, ItemCode: "A2", Quantity: 1 }] };
const NOTHING = { changes: {}, removed: new Set(), fresh: [] };

const KINDS = [{ value: "bo_ShipTo", title: "Despacho" }];
const DESCRIBED = describedBy({ complete: true, fields: [], collections: [
  { name: "BPAddresses", title: "Direcciones", fields: [{ name: "AddressType", title: "Tipo", type: "choice", choices: KINDS }] },
  { name: "DocumentLines", title: "Líneas", fields: [{ name: "Quantity", title: "Cantidad", type: "number", choices: [] }] },
] });
const [contacts, addresses] = shapesOf(PARTNER, DESCRIBED);
const sent = (done, replaces = false) => rowsToSend(addresses, PARTNER.BPAddresses, { ...NOTHING, ...done }, replaces);

test("a partner has addresses and contacts, a document its lines", () => {
  assert.deepEqual([contacts.name, addresses.name], ["ContactEmployees", "BPAddresses"]);
  assert.deepEqual(shapesOf(ORDER, DESCRIBED).map(({ name, number }) => [name, number]), [["DocumentLines", "LineNum"]]);
  assert.deepEqual(shapesOf({ Rows: [], Name: "x" }, DESCRIBED), []);
});

test("titles, kinds and words of rows are those that the gateway tells", () => {
  assert.deepEqual([addresses.title, addresses.titleOf("AddressType")], ["Direcciones", "Tipo"]);
  assert.deepEqual([SHIP, BILL].map(addresses.placeOf), [" (Despacho)", " (bo_BillTo)"]);
  const lines = linesOf(DESCRIBED);
  assert.deepEqual([lines.name, lines.title], ["DocumentLines", "Líneas"]);
  assert.deepEqual(lines.fresh.map(({ name, title, type }) => [name, title, type])[1], ["Quantity", "Cantidad", "number"]);
});

test("a changed row carries its whole key, and no other row is sent", () => {
  assert.deepEqual(sent({}), []);
  assert.deepEqual(sent({ changes: { 0: {}, 4: { Street: "C" } } }), [{ ...SHIP, Street: "C" }]);
});

test("a new row goes behind all that stay, named whole", () => {
  assert.deepEqual(sent({ fresh: [{ AddressName: "Obra" }] }), [BILL, SHIP, { AddressName: "Obra" }]);
});

test("where a row is taken out all others are sent, in whichever collection that is", () => {
  assert.deepEqual(sent({ removed: new Set([0]), changes: { 4: { Street: "C" } } }, true), [{ ...SHIP, Street: "C" }]);
  assert.deepEqual(sent({ changes: { 4: { Street: "C" } } }, true), [BILL, { ...SHIP, Street: "C" }]);
  assert.deepEqual(sent({}, true), []);
});

test("a contact is named by partner, number and name, a line by its number", () => {
  const contact = { CardCode: "C1", InternalCode: 7, Name: "Ana", Phone1: "1" };
  assert.deepEqual(rowsToSend(contacts, [contact], { ...NOTHING, changes: { 7: { Phone1: "2" } } }, false), [{ ...contact, Phone1: "2" }]);
  const [lines] = shapesOf(ORDER, DESCRIBED);
  assert.deepEqual(rowsToSend(lines, ORDER.DocumentLines, { ...NOTHING, changes: { 2: { Quantity: 3 } } }, false), [{ LineNum: 2, Quantity: 3 }]);
});

test("lines taken over carry what their prices and quantities mean, where the ERP would assume something else", () => {
  const plain = { ItemCode: "A", DiscountPercent: 0, Currency: "CLP", UoMEntry: -1 };
  const shownOf = (...lines) => meaningOf({ DocCurrency: "CLP" }, lines).shown;
  assert.deepEqual(shownOf(), []);
  assert.deepEqual(shownOf(plain, { ItemCode: "B", DiscountPercent: null, Currency: null }), []);
  assert.deepEqual(shownOf(plain, { ...plain, Currency: "USD" }), ["Currency"]);
  assert.deepEqual(shownOf({ ...plain, DiscountPercent: 5 }, plain), ["DiscountPercent"]);
  const { unitOf } = meaningOf({}, []);
  assert.deepEqual([plain, { UoMEntry: 3 }, {}].map(unitOf), [null, 3, null]);
});

test("a unit that was taken over goes with its item alone", () => {
  const line = { ItemCode: "A", takenItem: "A", UoMEntry: "3" };
  const units = withUnits([line, { ...line, ItemCode: "B" }, { ItemCode: "C" }]).map(({ UoMEntry }) => UoMEntry ?? "");
  assert.deepEqual(units, ["3", "", ""]);
});

test("a form is as it began while its texts are the same", () => {
  const start = { texts: { CardCode: "C1" }, lines: [{ ItemCode: "A", Quantity: "2" }] };
  assert.ok(sameTexts(start, { texts: { CardCode: "C1", Comments: " " }, lines: [{ Quantity: "2", ItemCode: "A" }, {}] }));
  assert.ok(!sameTexts(start, { ...start, texts: {} }));
  assert.ok(!sameTexts(start, { ...start, lines: [{ ItemCode: "A", Quantity: "3" }] }));
  assert.ok(!sameTexts(start, { ...start, lines: [] }));
});
