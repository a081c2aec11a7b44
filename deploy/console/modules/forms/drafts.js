/**
 * What was typed and not sent, by its owner (a company and a person) and its form. The tab keeps it for a reload. The browser keeps it for
 * seven days beyond the tab, unless the person turns that off. Pure but for the stores.
 *
 * @typedef {{at: number, stamp: unknown, typed: any, href?: string, title?: string}} Draft when it was typed, over which version of the record, and its page
 * @typedef {import("../kept.js").Store} Store
 * @typedef {{tab: Store, browser: Store | null}} Stores `browser` is null where drafts end with the tab
 */
import { browserStore, namesIn, tabStore } from "../kept.js";
import { ownName } from "../root.js";

const PREFIX = ownName("consola.borrador");
const TAB_ONLY = ownName("consola.borradores.solo-aqui");
const MOST_AGE_MS = 7 * 24 * 3600_000;
const SECRET = /pass|pwd|clave|contrase|secret|token/i;

const keyOf = (owner, name) => [PREFIX, owner, name].map(encodeURIComponent).join("/");
const isDraft = (key) => key.startsWith(`${encodeURIComponent(PREFIX)}/`);

const isOn = () => browserStore.getItem(TAB_ONLY) === null;

/** @returns {Stores} */
const storesOf = () => ({ tab: tabStore, browser: isOn() ? browserStore : null });

const all = ({ tab, browser }) => /** @type {Store[]} */ ([tab, browser].filter(Boolean));

/** Keep a draft, without the fields that are called like a password. Where a store has no room, it keeps none. */
export function keepDraft(owner, name, { typed, stamp = null, href = undefined, title = undefined }, stores = storesOf(), now = Date.now()) {
  const text = JSON.stringify({ at: now, stamp, typed, href, title }, (field, value) => (SECRET.test(field) ? undefined : value));
  for (const store of all(stores)) {
    try {
      store.setItem(keyOf(owner, name), text);
    } catch {
      store.removeItem(keyOf(owner, name)); // an older one would be offered as what was typed last
    }
  }
}

function read(store, key, now) {
  try {
    const draft = JSON.parse(store.getItem(key));
    return draft && now - draft.at < MOST_AGE_MS ? draft : null;
  } catch {
    return null;
  }
}

/** @returns {Draft | null} this tab's, or the one that another tab left behind */
export function readDraft(owner, name, stores = storesOf(), now = Date.now()) {
  const key = keyOf(owner, name);
  return read(stores.tab, key, now) ?? (stores.browser && read(stores.browser, key, now));
}

export function dropDraft(owner, name, stores = storesOf()) {
  for (const store of all(stores)) store.removeItem(keyOf(owner, name));
}

/** Forget all drafts of an owner: they sign out. */
export function dropDraftsOf(owner, stores = { tab: tabStore, browser: browserStore }) {
  const prefix = keyOf(owner, "");
  for (const store of all(stores)) for (const key of namesIn(store).filter((each) => each.startsWith(prefix))) store.removeItem(key);
}

/** @returns {(Draft & {name: string})[]} all drafts of an owner, the newest first */
export function listDrafts(owner, stores = storesOf(), now = Date.now()) {
  const prefix = keyOf(owner, "");
  const keys = new Set(all(stores).flatMap(namesIn).filter((key) => key.startsWith(prefix)));
  const names = [...keys].map((key) => decodeURIComponent(key.slice(prefix.length)));
  const found = names.map((name) => ({ name, draft: readDraft(owner, name, stores, now) }));
  return found.flatMap(({ name, draft }) => (draft ? [{ ...draft, name }] : [])).sort((one, other) => other.at - one.at);
}

/** Remove drafts that are older than seven days, whoever typed them. */
export function dropOldDrafts(store = browserStore, now = Date.now()) {
  for (const key of namesIn(store).filter(isDraft)) if (read(store, key, now) === null) store.removeItem(key);
}

/** Whether drafts are kept beyond the tab from now on. Turning it off removes those of everybody who uses this browser. */
export function keepDraftsInBrowser(isWanted, store = browserStore) {
  try {
    if (isWanted) store.removeItem(TAB_ONLY);
    else store.setItem(TAB_ONLY, "1");
  } catch {
    // no room, or not allowed: nothing is kept either
  }
  if (!isWanted) for (const key of namesIn(store).filter(isDraft)) store.removeItem(key);
}
