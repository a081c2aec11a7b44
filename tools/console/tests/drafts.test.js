import assert from "node:assert/strict";
import { test } from "node:test";

import { dropDraft, dropDraftsOf, keepDraft, readDraft } from "../../../deploy/console/modules/forms/drafts.js";

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

test("a draft is what was typed, of one person in one form over one version", () => {
  const store = storeOf();
  keepDraft("ana", "cambiar/Orders/1", { typed: { texts: { Comments: "lunes" } }, stamp: "W/1" }, store, 5);
  assert.deepEqual(readDraft("ana", "cambiar/Orders/1", store), { at: 5, stamp: "W/1", typed: { texts: { Comments: "lunes" } } });
  assert.equal(readDraft("ana", "cambiar/Orders/12", store), null);
  assert.equal(readDraft("eva", "cambiar/Orders/1", store), null);
  dropDraft("ana", "cambiar/Orders/1", store);
  assert.equal(readDraft("ana", "cambiar/Orders/1", store), null);
});

test("no password is kept, whatever field it stands in", () => {
  const store = storeOf();
  keepDraft("ana", "crear/Users", { typed: { texts: { UserPassword: "s3creta", U_WEB_PASS: "s3creta", clave: "s3creta", UserName: "eva" } } }, store);
  assert.deepEqual(readDraft("ana", "crear/Users", store).typed, { texts: { UserName: "eva" } });
});

test("where there is no room, no older draft is offered as what was typed last", () => {
  const store = storeOf(80);
  keepDraft("ana", "nueva", { typed: "1" }, store, 1);
  keepDraft("ana", "nueva", { typed: "1".repeat(80) }, store, 2);
  assert.equal(readDraft("ana", "nueva", store), null);
});

test("whoever signs out leaves no draft, and takes nobody else's", () => {
  const store = storeOf();
  store.setItem("consola.pasarela", "{}");
  for (const [person, name] of [["ana", "a"], ["ana", "b"], ["ana/eva", "a"], ["anabel", "a"]]) keepDraft(person, name, { typed: 1 }, store);
  dropDraftsOf("ana", store);
  assert.equal(store.length, 3);
  assert.equal(readDraft("ana", "a", store), null);
  assert.notEqual(readDraft("anabel", "a", store), null);
});
