import assert from "node:assert/strict";
import { test } from "node:test";

const FOLDER = "../../../deploy/console/modules/texts.js";
const load = async (lang, texts) => {
  globalThis.document = /** @type {any} */ ({ documentElement: { lang } });
  globalThis.fetch = async (address) => (texts && String(address).endsWith(`/texts/${lang}.json`) ? Response.json(texts) : new Response(null, { status: 404 }));
  return import(`${FOLDER}?${lang}${texts ? "" : "?"}`);
};

test("what the modules say stands as it is, with its values", async () => {
  const { t } = await load("es");
  assert.equal(t`Son ${3} filas de ${"dos"}.`, "Son 3 filas de dos.");
  assert.equal(t`Listo${false}${null}${undefined}${0}`, "Listo0");
});

test("what is drawn among words stays a piece", async () => {
  const { t } = await load("es");
  const drawn = { type: "strong" };
  assert.deepEqual(t`Es ${drawn}.`, ["Es ", drawn, "."]);
});

test("another language may change the places, and what it lacks is said in Spanish", async () => {
  const { t } = await load("en", { "Son {0} filas de {1}.": "Of {1}, {0} rows.", "Dos líneas": "Two lines" });
  assert.equal(t`Son ${3} filas de ${10}.`, "Of 10, 3 rows.");
  assert.equal(t`Dos
      líneas`, "Two lines");
  assert.equal(t`Otra ${"cosa"}`, "Otra cosa");
});

test("a language without a file is told at once", async () => {
  await assert.rejects(load("xx"), /There are no texts in xx/);
});
