/** How a person likes their lists: layouts alone, never what is in them. They stay in this browser. */
import { ownName } from "./root.js";

const PREFIX = ownName("consola.lista.");

/** @returns {object} what was remembered of a list; nothing where nothing can be read */
export function readLayout(list, store = localStorage) {
  try {
    return JSON.parse(store.getItem(PREFIX + list)) ?? {};
  } catch {
    return {};
  }
}

/** Remember more of a list's layout; where the browser keeps nothing, the list begins as it always does. */
export function keepLayout(list, changes, store = localStorage) {
  try {
    store.setItem(PREFIX + list, JSON.stringify({ ...readLayout(list, store), ...changes }));
  } catch {
    // no room, or not allowed
  }
}
