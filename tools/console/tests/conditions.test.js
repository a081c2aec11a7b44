import assert from "node:assert/strict";
import { test } from "node:test";

import { LIMITS, encodedLength, faultOf, filterOf, inWords, readConditions, searchedOf, withCondition } from "../../../deploy/console/modules/finding/conditions.js";

const NUMBER = { name: "DocNum", title: "Número", type: "integer", search: "code" };
const CODE = { name: "CardCode", title: "Código", type: "text", search: "code" };
const NAME = { name: "CardName", title: "Nombre", type: "text", search: "name" };
const TOTAL = { name: "DocTotal", title: "Total", type: "number" };
const DATE = { name: "DocDate", title: "Fecha", type: "date" };
const STATE = {
  name: "DocumentStatus", title: "Estado", type: "choice",
  choices: [{ value: "bost_Open", title: "Abierto" }, { value: "bost_Close", title: "Cerrado" }],
};
const COLUMNS = [NUMBER, CODE, NAME, TOTAL, DATE, STATE];
const SEARCHED = [NUMBER, CODE, NAME];
const today = "2026-11-27";
const asked = (conditions, options = {}) => filterOf(conditions, COLUMNS, { searched: SEARCHED, today, ...options });
const filter = (...conditions) => asked(conditions).filter;

test("conditions become one filter; text is quoted, numbers have a dot, those without a value are left out", () => {
  const conditions = [
    { name: "CardCode", operator: "contains", value: "C'23" },
    { name: "DocTotal", operator: "ge", value: "1.234,5" },
    { name: "DocDate", operator: "le", value: "2026-03-31" },
    { name: "DocumentStatus", operator: "eq", value: "" },
  ];
  assert.deepEqual(asked(conditions), {
    refused: [],
    filter: "contains(CardCode,'C''23') and DocTotal ge 1234.5 and DocDate le '2026-03-31'",
    told: null,
  });
});

test("values of one field are alternatives, limits of it are not", () => {
  const [open, closed] = ["bost_Open", "bost_Close"].map((value) => ({ name: "DocumentStatus", operator: "eq", value }));
  const [from, to] = [["ge", "100"], ["le", "500"]].map(([operator, value]) => ({ name: "DocTotal", operator, value }));
  assert.equal(filter(open, from, closed, to), "(DocumentStatus eq 'bost_Open' or DocumentStatus eq 'bost_Close') and DocTotal ge 100 and DocTotal le 500");
  assert.equal(filter({ ...open, operator: "ne" }, { ...closed, operator: "ne" }), "DocumentStatus ne 'bost_Open' and DocumentStatus ne 'bost_Close'");
});

test("a span of days is its first and its last day", () => {
  const months = ["este mes", "2025-02"].map((value) => ({ name: "DocDate", operator: "in", value }));
  assert.equal(filter(...months), "(DocDate ge '2026-11-01' and DocDate le '2026-11-30') or (DocDate ge '2025-02-01' and DocDate le '2025-02-28')");
  assert.equal(filter({ name: "DocDate", operator: "in", value: "ayer" }), "DocDate eq '2026-11-26'");
});

test("each word of a text is looked for in what a search looks in, in its spellings", () => {
  assert.equal(
    filter({ text: "sur  1005" }),
    "(contains(CardCode,'sur') or contains(CardCode,'súr') or contains(CardName,'sur') or contains(CardName,'súr'))" +
      " and (DocNum eq 1005 or contains(CardCode,'1005') or contains(CardName,'1005'))",
  );
  assert.equal(filterOf([{ text: "9999999999" }], COLUMNS, { searched: SEARCHED.slice(0, 2) }).filter, "contains(CardCode,'9999999999')");
  assert.deepEqual(filterOf([{ text: "x" }], COLUMNS, { searched: [NUMBER] }).refused, [
    { condition: { text: "x" }, fault: "Aquí se busca por Número, y «x» no puede estar ahí." },
  ]);
});

test("a field's text is asked for in its spellings, as a whole; other than it is only what was typed", () => {
  assert.equal(filter({ name: "CardName", operator: "startswith", value: "Mar" }), "startswith(CardName,'Mar') or startswith(CardName,'Már')");
  assert.equal(filter({ name: "CardName", operator: "ne", value: "Mar" }), "CardName ne 'Mar'");
});

test("what does not fit is asked for by name alone, then as it is written, then not at all, and each is told", () => {
  const long = { text: "inmobiliaria constructora agricola comercializadora norteamericana exportadora" };
  const byName = asked([long]);
  assert.match(byName.told, /solo en Nombre/);
  assert.ok(!byName.filter.includes("CardCode"));
  const typed = asked([long, { text: "panaderia industrial distribuidora automotriz internacional" }]);
  assert.match(typed.told, /tal como está escrito/);
  assert.ok(typed.filter.includes("contains(CardName,'agricola')"));
  const values = Array.from({ length: LIMITS.conditions + 1 }, (_, at) => ({ name: "DocTotal", operator: "eq", value: String(at) }));
  assert.deepEqual(asked(values), { filter: "", refused: [{ condition: null, fault: "Son 91 condiciones y en una consulta caben 90. Quite alguna." }], told: null });
  assert.equal(asked(values.slice(1)).refused.length, 0);
  const { refused } = asked(values.slice(1), { room: 500 });
  assert.match(refused[0].fault, /más largo/);
  assert.match(asked([{ text: "x".repeat(LIMITS.text + 1) }]).refused[0].fault, /254/);
});

test("a filter is as long as the gateway encodes it", () => {
  assert.equal(encodedLength("contains(A,'ñ')"), "contains%28A%2C%27%C3%B1%27%29".length);
});

test("a condition that says nothing that can be is refused, and nothing is asked for", () => {
  const wrong = { name: "DocTotal", operator: "ge", value: "mucho" };
  const unknown = { name: "Gone", operator: "eq", value: "1" };
  const { filter: none, refused } = asked([wrong, unknown, { name: "CardName", operator: "eq", value: "x" }]);
  assert.equal(none, "");
  assert.deepEqual(refused, [
    { condition: wrong, fault: "Escriba un número." },
    { condition: unknown, fault: "No hay tal campo." },
  ]);
  assert.equal(faultOf(TOTAL, { operator: "ge", value: "1500.250" }), "Escriba 1500250 o 1500,25.");
  for (const value of ["10,5", "1500.250", "1.5", "-", "cinco"]) assert.equal(faultOf(NUMBER, { operator: "eq", value }), "Escriba un número entero.", value);
  for (const value of ["2147483648", "-2147483648", "2.147.483.648"]) assert.equal(faultOf(NUMBER, { operator: "le", value }), "El ERP cuenta hasta 2147483647.", value);
  for (const value of ["2147483647", "-1", " 5 ", "1.500", "2.147.483.647"]) assert.equal(faultOf(NUMBER, { operator: "ge", value }), null, value);
  assert.equal(faultOf(DATE, { operator: "ge", value: "ayer" }), "Escriba una fecha.");
  assert.equal(faultOf(DATE, { operator: "in", value: "algún día" }), "No hay tal período.");
  assert.equal(faultOf(STATE, { operator: "contains", value: "x" }), "No hay tal condición.");
  assert.equal(faultOf(NAME, { operator: "eq", value: "1.500" }), null);
});

test("a condition is told in words, with the title of a choice", () => {
  const words = (condition) => inWords(condition, COLUMNS);
  assert.equal(words({ name: "DocumentStatus", operator: "eq", value: "bost_Open" }), "Estado es Abierto");
  assert.equal(words({ name: "DocTotal", operator: "ge", value: "5" }), "Total ≥ 5");
  assert.equal(words({ name: "DocDate", operator: "in", value: "2026-03" }), "Fecha: marzo de 2026");
  assert.equal(words({ name: "DocDate", operator: "ge", value: "2026-03-05" }), "Fecha desde 05-03-2026");
  assert.equal(words({ text: "pérez" }), "«pérez»");
  assert.equal(words({ name: "Gone", operator: "xx", value: "5" }), "Gone xx 5");
});

test("what an address holds is taken as far as it says conditions", () => {
  const [condition, text] = [{ name: "DocNum", operator: "eq", value: "5" }, { text: "x" }];
  assert.deepEqual(readConditions(JSON.stringify([condition, text, { ...condition, value: 5 }, { name: "DocNum" }, null, 7])), [condition, text, condition]);
  assert.deepEqual(readConditions(JSON.stringify([{ text: " " }, { text: " x " }])), [text]);
  assert.deepEqual(readConditions(null), []);
  assert.deepEqual(readConditions("{"), []);
  assert.deepEqual(readConditions("{}"), []);
});

test("a condition stands beside the others of its field, once", () => {
  const [open, closed] = ["bost_Open", "bost_Close"].map((value) => ({ name: "DocumentStatus", operator: "eq", value }));
  const text = { text: "x" };
  assert.deepEqual(withCondition([open, text], closed), [open, closed, text]);
  assert.deepEqual(withCondition([open, text], { ...open }), [open, text]);
  assert.deepEqual(withCondition([open], text), [open, text]);
});

test("a search looks where the service says, else in keys and texts by their types", () => {
  const key = [{ name: "Code", type: "text" }];
  assert.deepEqual(searchedOf({ columns: COLUMNS, key }), SEARCHED);
  const bare = { ...NAME, search: null };
  const found = searchedOf({ columns: [TOTAL, bare, DATE], key });
  assert.deepEqual(found.map(({ name, type, search }) => [name, type, search]), [["Code", "text", "code"], ["CardName", "text", "name"]]);
});
