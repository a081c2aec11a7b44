/**
 * What was typed and not sent, kept by this tab alone, by person, form and record. Pure but for the store, which is the tab's.
 *
 * @typedef {{at: number, stamp: unknown, typed: any}} Draft when it was typed, and over which version of the record
 */
import { tabStore } from "../kept.js";
import { ownName } from "../root.js";

const PREFIX = ownName("consola.borrador");
const SECRET = /pass|pwd|clave|contrase|secret|token/i;

const keyOf = (person, name) => [PREFIX, person, name].map(encodeURIComponent).join("/");

/** Keep a draft, without whatever is called like a password; where the store has no room, there is none. */
export function keepDraft(person, name, { typed, stamp = null }, store = tabStore, now = Date.now()) {
  const text = JSON.stringify({ at: now, stamp, typed }, (field, value) => (SECRET.test(field) ? undefined : value));
  try {
    store.setItem(keyOf(person, name), text);
  } catch {
    store.removeItem(keyOf(person, name)); // an older one would be offered as what was typed last
  }
}

/** @returns {Draft | null} */
export function readDraft(person, name, store = tabStore) {
  try {
    return JSON.parse(store.getItem(keyOf(person, name)));
  } catch {
    return null;
  }
}

export const dropDraft = (person, name, store = tabStore) => store.removeItem(keyOf(person, name));

/** Forget all that a person has typed: they sign out. */
export function dropDraftsOf(person, store = tabStore) {
  const prefix = keyOf(person, "");
  const keys = Array.from({ length: store.length }, (_, at) => store.key(at));
  for (const key of keys.filter((each) => each.startsWith(prefix))) store.removeItem(key);
}
