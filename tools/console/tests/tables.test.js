import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { keepLayout, keepViews, readLayout, readLook, readViews } from "../../../deploy/console/modules/preferences.js";
import { neutralised, tsv } from "../../../deploy/console/modules/formats.js";

test("rows are copied as a spreadsheet takes them, and nothing becomes a formula", () => {
  assert.equal(tsv([["Número", "Total"], [" 101926 ", "-1.234,5"]]), "Número\tTotal\r\n101926\t-1.234,5");
  assert.equal(tsv([["=1+1", "+56 9", "@x", "-A1", "a\tb", 'dijo "sí"']]), `'=1+1\t'+56 9\t'@x\t'-A1\t"a\tb"\t"dijo ""sí"""`);
});

test("a copied text has a formula at no separator, by the rule of the services' CSV", () => {
  const cases = JSON.parse(readFileSync(new URL("../../../libs/servicekit/tests/formula_cases.json", import.meta.url), "utf8"));
  for (const [text, inert] of cases) assert.equal(neutralised(text), inert);
  assert.equal(tsv([["x,=1+1", "\uff1d1", "a\n@b", "-1.234,5", "-5 UN"]]), `x,'=1+1\t'\uff1d1\t"a\n'@b"\t-1.234,5\t'-5 UN`);
});

test("a list's layout is remembered piece by piece, and no store is no harm", () => {
  const kept = new Map();
  const store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
  keepLayout("Orders", { columns: ["DocNum"] }, store);
  keepLayout("Orders", { sort: "DocNum desc" }, store);
  assert.deepEqual(readLayout("Orders", store), { columns: ["DocNum"], sort: "DocNum desc" });
  assert.deepEqual(readLayout("Items", store), {});
  kept.set("consola.lista.Items", "{");
  assert.deepEqual(readLayout("Items", store), {});
  keepLayout("Items", { sort: "" }, null);
});

test("views are kept for each person and list, gone when the last one goes, and told where they can't be", () => {
  const kept = new Map();
  const store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value), removeItem: (key) => void kept.delete(key) };
  const views = { abiertos: "#/erp/Orders?filtro=x" };
  assert.equal(keepViews("ana", "Orders", views, store), true);
  assert.deepEqual([readViews("ana", "Orders", store), readViews("ana", "Items", store), readViews("luis", "Orders", store)], [views, {}, {}]);
  keepViews("ana", "Orders", {}, store);
  assert.equal(kept.size, 0);
  assert.equal(keepViews("ana", "Orders", views, null), false);
});

test("a look is one of its words, the first one where none was chosen or can be read", () => {
  const storeOf = (kept) => ({ getItem: (name) => (name.startsWith("consola.filas") ? kept : null) });
  assert.equal(readLook("filas", storeOf("compactas")), "compactas");
  for (const store of [storeOf("otras"), storeOf(null), null]) assert.equal(readLook("filas", store), "cómodas");
});
