import assert from "node:assert/strict";
import { test } from "node:test";

import { walkOf } from "../../../deploy/console/modules/views/returns/pick-walk.js";
import { addedUp, figuresOf, holdingOf, holdsHeader, isHeld, isShort, lacksPicks, lotCalled, outcomeOf, pickListOf, returningLines, sheetOf } from "../../../deploy/console/modules/views/returns/sheet.js";
import { planningStateOf } from "../../../deploy/console/modules/views/returns/words.js";

const part = (docId, cantidad, more = {}) => ({ docId, cantidad, lote: null, serie: null, ...more });
const line = (itemCode, asignaciones, more = {}) => ({
  itemCode, asignaciones, descripcion: itemCode, unidad: "UN", gestion: "ninguna", excluida: false, cantidad: 1, asignada: 1, sinStock: 0, sinEntrada: 0, noDivisible: 0, ...more,
});
const document = (docId, estado, more = {}) => ({ docId, estado, cardCode: "P1", proveedor: "Uno", rut: "", moneda: "CLP", sucursal: null, total: 100, docNum: null, bloqueaLineas: false, ...more });

test("documents that need somebody come first, and those that wait for batches say so", () => {
  const lineas = [line("A", [part(1, 1), part(2, 1)]), line("B", [part(3, 1)], { gestion: "lotes" }), line("C", [part(4, 1, { serie: "S" })], { gestion: "series" })];
  const documentos = [document(1, "creado"), document(2, "pendiente"), document(3, "pendiente"), document(4, "error")];
  const sheet = sheetOf({ documentos, lineas });
  assert.deepEqual(sheet.map(({ docId, lacks }) => [docId, lacks]), [[4, false], [3, true], [2, false], [1, false]]);
  assert.deepEqual(sheet[1].parts, [{ line: lineas[1], part: lineas[1].asignaciones[0] }]);
  assert.deepEqual(lineas.map(lacksPicks), [false, true, false]);
});

test("a document that was planned anew names what took its place; one that was dropped does not", () => {
  const documentos = [document(1, "omitido"), document(2, "omitido"), document(3, "omitido", { cardCode: "P2" }), document(4, "creado"), document(5, "omitido")];
  const sheet = sheetOf({ documentos, lineas: [line("A", [part(4, 1), part(2, 1)])] });
  const replaced = Object.fromEntries(sheet.map(({ docId, replacedBy }) => [docId, replacedBy.map((each) => each.docId)]));
  assert.deepEqual(replaced, { 1: [4], 2: [], 3: [], 4: [], 5: [] });
});

test("the service says which documents hold what is in them, of two that failed one", () => {
  const holding = holdingOf([document(0, "pendiente"), document(1, "error"), document(2, "error", { bloqueaLineas: true })]);
  assert.deepEqual([...holding], [2]);
  assert.equal(isHeld(line("A", [part(0, 1), part(2, 1)]), holding), true);
  assert.equal(isHeld(line("A", [part(0, 1), part(1, 1)]), holding), false);
});

test("nobody waits for what the header lacks once a document is more than a plan, a failed one too", () => {
  const holds = (...estados) => holdsHeader(estados.map((estado, docId) => document(docId, estado)));
  assert.equal(holds("pendiente", "omitido"), false);
  for (const estado of ["error", "creado", "incierto", "en_proceso", "en_aprobacion", "anulado"]) assert.equal(holds("pendiente", estado), true, estado);
});

test("what was planned in a document that is gone goes back to nobody", () => {
  const lineas = [line("A", [part(1, 0.1), part(2, 0.2)], { asignada: 0.3 }), line("B", [part(2, 1)])];
  const documentos = [document(1, "creado"), document(2, "omitido")];
  assert.deepEqual(figuresOf({ lineas, documentos }).asignada, [["UN", 0.1]]);
});

test("quantities that are typed are added up without a rest, and only numbers are", () => {
  assert.equal(addedUp("0,14", "1"), "1,14");
  assert.equal(addedUp("2", "5"), "7");
  assert.equal(addedUp("", "1"), undefined);
  assert.equal(addedUp("2", "dos"), undefined);
});

test("of batches that differ by their letters alone the one that was read is taken", () => {
  const [small, large] = [{ lote: "a1" }, { lote: "A1" }];
  assert.equal(lotCalled([small, large], "A1"), large);
  assert.equal(lotCalled([small, large], "a1"), small);
  assert.equal(lotCalled([small], "A1"), small);
  assert.equal(lotCalled([small], "B1"), undefined);
});

test("no figure adds units or currencies of different kinds, nor what is left out", () => {
  const lineas = [
    line("A", [], { cantidad: 0.1 }), line("B", [], { cantidad: 0.2 }), line("C", [], { cantidad: 3, unidad: "KG", asignada: 0, sinStock: 3 }), line("D", [], { cantidad: 9, excluida: true }),
  ];
  const documentos = [document(1, "pendiente"), document(2, "pendiente", { moneda: "USD", total: 7.5 }), document(3, "omitido")];
  const figures = figuresOf({ lineas, documentos });
  assert.deepEqual(returningLines({ lineas, documentos }).filter(({ excluida }) => !excluida).reduce((sum, { asignada }) => sum + asignada, 0), figures.asignada.reduce((sum, [, each]) => sum + each, 0));
  assert.deepEqual(figures.pedida, [["UN", 0.3], ["KG", 3]]);
  assert.deepEqual(figures.asignada, [["UN", 2]]);
  assert.deepEqual(figures.sinStock, [["KG", 3]]);
  assert.deepEqual(figures.sinEntrada, []);
  assert.deepEqual(figures.total, [["CLP", 100], ["USD", 7.5]]);
  assert.equal(figures.documentos, 2);
  assert.deepEqual(lineas.map(isShort), [false, false, true, false]);
});

test("one sentence says all that became of a run, in the right number", () => {
  const states = (...estados) => estados.map((estado, docId) => document(docId, estado));
  const before = states("creado", "pendiente", "pendiente", "pendiente", "pendiente");
  const told = (...estados) => outcomeOf(before, states(...estados)).text;
  assert.equal(told("creado", "creado", "creado", "creado", "creado"), "4 devoluciones creadas.");
  assert.equal(told("creado", "creado", "error", "incierto", "en_aprobacion"), "1 devolución creada, 1 falló, 1 por aclarar, 1 en aprobación.");
  assert.equal(told("creado", "error", "error", "pendiente", "pendiente"), "Ninguna devolución más, 2 fallaron, 2 pendientes.");
  assert.equal(outcomeOf(states("pendiente"), states("error")).text, "Ninguna devolución creada, 1 falló.");
  assert.equal(outcomeOf(before, states("creado", "creado", "error", "incierto", "creado")).kind, "bad");
  assert.deepEqual(outcomeOf(before, states("creado", "creado", "error", "incierto", "creado")).open.map(({ docId }) => docId), [2, 3]);
});

test("a pick list has a row for each batch of an item, over all documents of a supplier", () => {
  const lineas = [
    line("B", [part(1, 1), part(2, 2)]), line("A", [part(1, 0.1, { lote: "L1" }), part(2, 0.2, { lote: "L1" }), part(1, 1, { lote: "L2" })], { gestion: "lotes" }),
    line("C", [part(3, 1)], { gestion: "series" }), line("D", [part(4, 1)]),
  ];
  const documentos = [document(1, "creado", { docNum: 77 }), document(2, "pendiente"), document(3, "pendiente", { cardCode: "P2" }), document(4, "omitido", { cardCode: "P3" })];
  const list = pickListOf({ documentos, lineas });
  assert.deepEqual(list.map(({ cardCode, numbers }) => [cardCode, numbers]), [["P1", [77]], ["P2", []]]);
  assert.deepEqual(list[0].rows.map(({ itemCode, lot, cantidad }) => [itemCode, lot, cantidad]), [["A", "L1", 0.3], ["A", "L2", 1], ["B", "", 3]]);
  assert.deepEqual(list[1].rows.map(({ itemCode, lot }) => [itemCode, lot]), [["C", "por elegir"]]);
});

test("what several suppliers take of one item is fetched in one walk", () => {
  const of = (proveedor, cardCode, ...rows) => ({ proveedor, cardCode, rows: rows.map(([itemCode, lot, cantidad]) => ({ key: JSON.stringify([itemCode, lot]), itemCode, lot, cantidad })) });
  const walk = walkOf([of("Uno", "P1", ["A10", "", 0.1], ["A2", "L1", 1]), of("", "P2", ["A10", "", 0.2])]);
  assert.deepEqual(walk.map(({ itemCode, lot, cantidad, suppliers }) => [itemCode, lot, cantidad, suppliers]), [["A2", "L1", 1, ["Uno"]], ["A10", "", 0.3, ["Uno", "P2"]]]);
  assert.deepEqual(walkOf([]), []);
});

test("a planning with returns and more to make is no plan, and an executed one stays executed", () => {
  assert.deepEqual([["planificada", 0], ["planificada", 1], ["con_errores", 1], ["ejecutada", 2], ["planificada", undefined]].map(([estado, creados]) => planningStateOf({ estado, creados })),
    ["planificada", "ejecutada_en_parte", "con_errores", "ejecutada", "planificada"]);
});
