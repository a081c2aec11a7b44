import assert from "node:assert/strict";
import { test } from "node:test";

import { dropDraft, dropDraftsOf, dropOldDrafts, keepDraft, keepDraftsInBrowser, listDrafts, readDraft } from "../../../deploy/console/modules/forms/drafts.js";

/** A store as the browser has one, with room for so many letters in each value. */
function storeOf(room = Infinity) {
  const kept = new Map();
  return {
    get length() {
      return kept.size;
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem(key, value) {
      if (value.length > room) throw new Error("QuotaExceededError");
      kept.set(key, value);
    },
  };
}

const DAY_MS = 24 * 3600_000;
const storesOf = (room = Infinity) => ({ tab: storeOf(room), browser: storeOf(room) });

test("a draft is what was typed, of one owner in one form over one version", () => {
  const stores = storesOf();
  keepDraft("ana", "cambiar/Orders/1", { typed: { texts: { Comments: "lunes" } }, stamp: "W/1" }, stores, 5);
  assert.deepEqual(readDraft("ana", "cambiar/Orders/1", stores, 6), { at: 5, stamp: "W/1", typed: { texts: { Comments: "lunes" } } });
  assert.equal(readDraft("ana", "cambiar/Orders/12", stores, 6), null);
  assert.equal(readDraft("eva", "cambiar/Orders/1", stores, 6), null);
  dropDraft("ana", "cambiar/Orders/1", stores);
  assert.equal(readDraft("ana", "cambiar/Orders/1", stores, 6), null);
  assert.equal(stores.browser.length, 0);
});

test("a draft outlives its tab for seven days and no longer", () => {
  const stores = storesOf();
  keepDraft("ana", "nueva", { typed: 1 }, stores, 0);
  const another = { tab: storeOf(), browser: stores.browser };
  assert.equal(readDraft("ana", "nueva", another, 7 * DAY_MS - 1).typed, 1);
  assert.equal(readDraft("ana", "nueva", another, 7 * DAY_MS), null);
  assert.deepEqual(listDrafts("ana", another, 7 * DAY_MS), []);
  keepDraft("eva", "nueva", { typed: 1 }, stores, DAY_MS);
  stores.browser.setItem("consola.lista.Orders", "{}");
  dropOldDrafts(stores.browser, 7 * DAY_MS);
  assert.equal(stores.browser.length, 2);
  assert.equal(readDraft("eva", "nueva", another, 7 * DAY_MS).typed, 1);
});

test("drafts of one tab come before those that another one left", () => {
  const stores = storesOf();
  keepDraft("ana", "nueva", { typed: "mine" }, { ...stores, browser: null }, 1);
  keepDraft("ana", "nueva", { typed: "other" }, { tab: storeOf(), browser: stores.browser }, 2);
  assert.equal(readDraft("ana", "nueva", stores, 3).typed, "mine");
});

test("an owner's drafts are listed with their pages, the newest first", () => {
  const stores = storesOf();
  keepDraft("ana", "crear/Orders", { typed: 1, href: "#/crear/Orders", title: "Crear" }, stores, 1);
  keepDraft("ana", "cambiar/Orders/1", { typed: 2, href: "#/erp/Orders/1", title: "Pedido 1" }, stores, 2);
  keepDraft("eva", "crear/Orders", { typed: 3, href: "#/crear/Orders", title: "Crear" }, stores, 3);
  assert.deepEqual(listDrafts("ana", stores, 4).map(({ name, href, title }) => [name, href, title]), [["cambiar/Orders/1", "#/erp/Orders/1", "Pedido 1"], ["crear/Orders", "#/crear/Orders", "Crear"]]);
});

test("where drafts end with the tab, the browser keeps none, and those of everybody go", () => {
  const stores = storesOf();
  keepDraft("ana", "nueva", { typed: 1 }, stores, 1);
  keepDraft("eva", "nueva", { typed: 1 }, stores, 1);
  stores.browser.setItem("consola.lista.Orders", "{}");
  keepDraftsInBrowser(false, stores.browser);
  assert.equal(stores.browser.length, 2); // the list's layout, and the choice
  keepDraft("ana", "nueva", { typed: 2 }, { ...stores, browser: null }, 2);
  assert.equal(readDraft("ana", "nueva", { ...stores, browser: null }, 3).typed, 2);
  keepDraftsInBrowser(true, stores.browser);
  assert.equal(stores.browser.length, 1);
});

test("no password is kept, whatever field it stands in", () => {
  const stores = storesOf();
  keepDraft("ana", "crear/Users", { typed: { texts: { UserPassword: "s3creta", U_WEB_PASS: "s3creta", clave: "s3creta", UserName: "eva" } } }, stores);
  assert.deepEqual(readDraft("ana", "crear/Users", stores).typed, { texts: { UserName: "eva" } });
  assert.ok(!stores.browser.getItem(stores.browser.key(0)).includes("s3creta"));
});

test("where there is no room, no older draft is offered as what was typed last", () => {
  const stores = storesOf(80);
  keepDraft("ana", "nueva", { typed: "1" }, stores, 1);
  keepDraft("ana", "nueva", { typed: "1".repeat(80) }, stores, 2);
  assert.equal(readDraft("ana", "nueva", stores, 3), null);
});

test("whoever signs out leaves no draft, and takes nobody else's", () => {
  const stores = storesOf();
  stores.tab.setItem("consola.pasarela", "{}");
  for (const [owner, name] of [["ana", "a"], ["ana", "b"], ["ana/eva", "a"], ["anabel", "a"]]) keepDraft(owner, name, { typed: 1 }, stores, 1);
  dropDraftsOf("ana", stores);
  assert.deepEqual([stores.tab.length, stores.browser.length], [3, 2]);
  assert.equal(readDraft("ana", "a", stores, 2), null);
  assert.notEqual(readDraft("anabel", "a", stores, 2), null);
});
