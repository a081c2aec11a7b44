/** What the browser keeps for the page. A browser may refuse its stores altogether: then the page remembers as long as it is open. */

/** A store like the browser's, in memory. */
class PageStore {
  #values = new Map();
  get length() {
    return this.#values.size;
  }
  key(at) {
    return [...this.#values.keys()][at] ?? null;
  }
  getItem(name) {
    return this.#values.get(name) ?? null;
  }
  setItem(name, value) {
    this.#values.set(name, String(value));
  }
  removeItem(name) {
    this.#values.delete(name);
  }
}

/** @typedef {Pick<Storage, "length" | "key" | "getItem" | "setItem" | "removeItem">} Store */

/**
 * @param {() => Storage | null | undefined} find gives the browser's store, or throws where it is blocked
 * @returns {Store}
 */
export function openStore(find) {
  try {
    const found = find();
    if (found) {
      found.getItem("");
      return found;
    }
  } catch {
    // blocked by a setting or a policy
  }
  return new PageStore();
}

/** Whether a store ends with the page. */
export const endsWithPage = (store) => store instanceof PageStore;

/** What this tab keeps. */
export const tabStore = openStore(() => sessionStorage);

/** What this browser keeps beyond the tab. */
export const browserStore = openStore(() => localStorage);

/** The names of all that a store holds. @param {Store} store */
export const namesIn = (store) => Array.from({ length: store.length }, (_, at) => /** @type {string} */ (store.key(at)));
