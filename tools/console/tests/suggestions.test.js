import assert from "node:assert/strict";
import { test } from "node:test";

import { readDay, readPeriod, periodInWords, rangeOf } from "../../../deploy/console/modules/finding/periods.js";
import { plain, spellingsOf } from "../../../deploy/console/modules/finding/spellings.js";
import { suggestionsOf } from "../../../deploy/console/modules/finding/suggestions.js";

const today = "2026-11-27"; // a Friday
const COLUMNS = [
  { name: "DocNum", title: "Número", type: "integer", search: "code" },
  { name: "DocDate", title: "Fecha", type: "date" },
  { name: "TaxDate", title: "Fecha del documento", type: "date" },
  { name: "CardName", title: "Nombre del socio", type: "text", search: "name" },
  { name: "DocTotal", title: "Total", type: "number" },
  { name: "DocumentStatus", title: "Estado", type: "choice", choices: [{ value: "bost_Open", title: "Abierto" }, { value: "bost_Close", title: "Cerrado" }] },
  { name: "Comments", title: "Comentarios", type: "text" },
];
const searched = COLUMNS.filter(({ search }) => search);
const suggested = (text) => suggestionsOf(text, COLUMNS, { searched, today });
const labels = (text) => suggested(text).options.map(({ label }) => label);

test("a word is asked for with each accent it may have, one at most, and with ñ", () => {
  assert.deepEqual(spellingsOf("perez"), ["perez", "pérez", "peréz"]);
  assert.deepEqual(spellingsOf("Ana"), ["Ana", "Aña", "Ána", "Áña", "Aná", "Añá"]);
  assert.deepEqual(spellingsOf("norte").filter((each) => each.includes("ñ")).length, 3); // not before a consonant
  assert.ok(spellingsOf("pinguino").includes("pingüino"));
  assert.deepEqual(spellingsOf("Pérez"), ["Pérez", "Perez"]);
  assert.deepEqual(spellingsOf("Muñoz"), ["Muñoz", "Munoz", "Múñoz", "Múnoz", "Muñóz", "Munóz"]);
  assert.deepEqual(spellingsOf("1005-K"), ["1005-K"]);
  assert.equal(plain("ÑANDÚ"), "nandu");
});

test("spans of days begin and end where people say", () => {
  const ranges = {
    hoy: [today, today], ayer: ["2026-11-26", "2026-11-26"], mañana: ["2026-11-28", "2026-11-28"],
    "esta semana": ["2026-11-23", "2026-11-29"], "semana pasada": ["2026-11-16", "2026-11-22"],
    "este mes": ["2026-11-01", "2026-11-30"], "mes pasado": ["2026-10-01", "2026-10-31"],
    "este año": ["2026-01-01", "2026-12-31"], "año pasado": ["2025-01-01", "2025-12-31"],
    "últimos 30 días": ["2026-10-29", today], "próximos 7 días": [today, "2026-12-03"],
    "2024-02": ["2024-02-01", "2024-02-29"], 2024: ["2024-01-01", "2024-12-31"],
  };
  for (const [period, range] of Object.entries(ranges)) assert.deepEqual(rangeOf(period, today), range, period);
  assert.deepEqual(rangeOf("mes pasado", "2026-01-15"), ["2025-12-01", "2025-12-31"]);
  assert.deepEqual(rangeOf("esta semana", "2026-11-29"), ["2026-11-23", "2026-11-29"]); // a Sunday ends its week
  assert.equal(rangeOf("algún día", today), null);
  assert.deepEqual(rangeOf("próximos 1 días", today), [today, today]);
});

test("spans and days are read as they are typed", () => {
  assert.equal(readPeriod(" Este  MES", today), "este mes");
  assert.equal(readPeriod("ultimos 45 dias", today), "últimos 45 días");
  assert.equal(readPeriod("marzo", today), "2026-03");
  assert.equal(readPeriod("diciembre", today), "2025-12");
  assert.equal(readPeriod("Septiembre de 2024", today), "2024-09");
  assert.equal(readPeriod("perez", today), null);
  assert.equal(periodInWords("2024-09"), "septiembre de 2024");
  for (const typed of ["15-03-2026", "15/3/26", "15.3", "2026-03-15"]) assert.equal(readDay(typed, today), "2026-03-15", typed);
  for (const typed of ["31-02-2026", "15", "2026", "15-03-1", "hoy"]) assert.equal(readDay(typed, today), null, typed);
});

test("nothing typed offers the fields; their names lead to what can be said of them", () => {
  assert.deepEqual(suggested("").options[1], { label: "Fecha…", typed: "Fecha " });
  assert.deepEqual(labels("Estado "), ["Estado es Abierto", "Estado es Cerrado", "Estado no es Abierto", "Estado no es Cerrado", "Buscar «Estado»"]);
  assert.equal(labels("Estado")[0], "Buscar «Estado»"); // it may be a word to look for
  assert.deepEqual(suggested("Total ").options.slice(0, 2).map(({ typed }) => typed), ["Total = ", "Total ≥ "]);
  assert.equal(labels("Fecha ")[0], "Fecha: hoy");
  assert.ok(labels("Fecha ").includes("Fecha desde…"));
  assert.deepEqual(suggested("Total ≥ "), { options: [], fault: null });
});

test("a field with its value is the first that is offered", () => {
  assert.deepEqual(suggested("total >= 1.234,5").options[0].conditions, [{ name: "DocTotal", operator: "ge", value: "1.234,5" }]);
  assert.deepEqual(suggested("total > 500").options.map(({ label }) => label), ["Total > 500"]);
  assert.deepEqual(suggested("total 500").options.slice(0, 3).map(({ label }) => label), ["Total = 500", "Total ≥ 500", "Total ≤ 500"]);
  assert.deepEqual(suggested("número 1005").options[0].conditions, [{ name: "DocNum", operator: "eq", value: "1005" }]);
  assert.deepEqual(suggested("estado: cerr").options[0].conditions, [{ name: "DocumentStatus", operator: "eq", value: "bost_Close" }]);
  assert.deepEqual(suggested("fecha marzo").options[0].conditions, [{ name: "DocDate", operator: "in", value: "2026-03" }]);
  assert.deepEqual(suggested("fecha del documento desde 1/3").options[0].conditions, [{ name: "TaxDate", operator: "ge", value: "2026-03-01" }]);
  assert.deepEqual(suggested("comentarios empieza con Esperar").options[0].conditions, [{ name: "Comments", operator: "startswith", value: "Esperar" }]);
  assert.deepEqual(suggested("Comentarios esperar").options[0].conditions, [{ name: "Comments", operator: "contains", value: "esperar" }]);
});

test("words that say a value, a day or a span are offered so, others are looked for", () => {
  assert.deepEqual(labels("abierto").slice(0, 2), ["Estado es Abierto", "Buscar «abierto»"]);
  assert.deepEqual(labels("este mes").slice(0, 3), ["Fecha: este mes", "Fecha del documento: este mes", "Buscar «este mes»"]);
  assert.deepEqual(suggested("15-03-2026").options[1].conditions, [{ name: "DocDate", operator: "ge", value: "2026-03-15" }]);
  assert.deepEqual(suggested("perez").options.map(({ conditions }) => conditions[0]), [{ text: "perez" }, { name: "Comments", operator: "contains", value: "perez" }]);
  assert.deepEqual(labels("2026").slice(0, 2), ["Buscar «2026»", "Total = 2026"]);
  assert.deepEqual(labels("412.311").filter((each) => each.startsWith("Total =")), ["Total = 412.311"]); // as it is shown
  assert.deepEqual(labels("1412.311").filter((each) => each.startsWith("Total =")), ["Total = 1412311", "Total = 1412,311"]); // either
  assert.equal(labels("3.5")[0], "Buscar «3.5»"); // rather an amount than a day
  assert.ok(labels("3.5").includes("Total = 3.5"));
  assert.equal(labels("3.5.2026")[0], "Fecha el día 03-05-2026");
  assert.equal(labels("fecha 3.5")[0], "Fecha el día 03-05-2026");
  assert.equal(labels("fech")[1], "Fecha…");
  assert.ok(labels("ult").includes("Fecha: últimos 30 días"));
});

test("words can be looked for however much else they may mean", () => {
  const dates = ["A", "B", "C", "D", "E"].map((name) => ({ name, title: name, type: "date" }));
  const { options } = suggestionsOf("15-03-2026", dates, { searched, today });
  assert.equal(options.length, 12);
  assert.equal(options.at(-1).label, "Buscar «15-03-2026»");
});

test("what cannot be a value is told, and nothing that was typed is lost by it", () => {
  assert.deepEqual(suggested("total 10000.000"), { options: [], fault: "Total: Escriba 10000000 o 10000." });
  assert.deepEqual(suggested("número 10,5"), { options: [], fault: "Número: Escriba un número entero." });
  assert.match(suggested("fecha desde pronto").fault, /escriba una fecha, como 27-11-2026/);
  assert.match(suggested("estado: roto").fault, /^Estado: Abierto, Cerrado\.$/);
  for (const name of ["total austral", "estado roto", "fecha ltda"]) assert.deepEqual(suggested(name), { options: [{ label: `Buscar «${name}»`, conditions: [{ text: name }] }], fault: null });
});

test("where a search has nowhere to look, only conditions are offered", () => {
  const { options } = suggestionsOf("perez", COLUMNS, { searched: [], today });
  assert.deepEqual(options.map(({ label }) => label), ["Nombre del socio contiene perez", "Comentarios contiene perez"]);
});

const phrase = (text) => suggested(text).options[0].conditions;
const december = { name: "DocDate", operator: "in", value: "2025-12" };
const open = { name: "DocumentStatus", operator: "eq", value: "bost_Open" };

test("one phrase says words, a span, a state and an amount", () => {
  assert.deepEqual(phrase("torres diciembre"), [{ text: "torres" }, december]);
  assert.deepEqual(phrase("diciembre torres"), [{ text: "torres" }, december]);
  assert.deepEqual(phrase("Torres de diciembre"), [{ text: "Torres" }, december]);
  assert.deepEqual(phrase("torres y cía diciembre de 2025"), [{ text: "torres y cía" }, december]);
  assert.deepEqual(phrase("torres este mes abierto"), [{ text: "torres" }, { name: "DocDate", operator: "in", value: "este mes" }, open]);
  assert.deepEqual(phrase("torres diciembre total >= 500.000"), [{ text: "torres" }, december, { name: "DocTotal", operator: "ge", value: "500.000" }]);
  assert.deepEqual(phrase("diciembre > 500000"), [december, { name: "DocTotal", operator: "gt", value: "500000" }]);
  assert.deepEqual(phrase("torres más de 500.000"), [{ text: "torres" }, { name: "DocTotal", operator: "gt", value: "500.000" }]);
  assert.deepEqual(phrase("torres desde 15-03-2026"), [{ text: "torres" }, { name: "DocDate", operator: "ge", value: "2026-03-15" }]);
  assert.deepEqual(phrase("fecha del documento marzo abierto"), [{ name: "TaxDate", operator: "in", value: "2026-03" }, open]);
  assert.deepEqual(phrase("nombre del socio torres diciembre"), [{ name: "CardName", operator: "contains", value: "torres" }, december]);
  assert.equal(labels("torres diciembre")[0], "«torres» y Fecha: diciembre de 2025");
  assert.equal(labels("torres diciembre")[1], "Buscar «torres diciembre»"); // whoever is called so is found, too
});

test("what says one thing only is no phrase", () => {
  for (const text of ["diciembre", "marzo de 2026", "torres", "torres y cía", "mes pasado", "15-03-2026", "2025", "torres 2025", "torres 15.3", "abierto", "fecha diciembre", "total >= 500", "> 500"]) {
    assert.ok((phrase(text) ?? []).length < 2, text);
  }
  assert.deepEqual(phrase("comentarios contiene torres diciembre"), [{ name: "Comments", operator: "contains", value: "torres diciembre" }]);
  assert.ok((phrase("torres diciembre ".repeat(11)) ?? []).length < 2); // pasted, not said
});
