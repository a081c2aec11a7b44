/** How a person likes their lists and the page: looks, and views that they have named; never what is in a list. They stay in this browser. */
import { ownName } from "./root.js";

const LOOK = ownName("consola.aspecto");
/** What the page may look like, and the colour scheme that it is; none follows the system. */
export const LOOKS = { sistema: "", claro: "light", oscuro: "dark" };

const PREFIX = ownName("consola.lista.");
const VIEWS = ownName("consola.vistas.");

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

const viewsOf = (person, list) => VIEWS + JSON.stringify([person, list]);

/** @returns {Record<string, string>} the addresses of the views that a person has named of a list */
export function readViews(person, list, store = localStorage) {
  try {
    return JSON.parse(store.getItem(viewsOf(person, list))) ?? {};
  } catch {
    return {};
  }
}

/** @returns {boolean} whether they are kept: not where the browser keeps nothing */
export function keepViews(person, list, views, store = localStorage) {
  try {
    if (Object.keys(views).length) store.setItem(viewsOf(person, list), JSON.stringify(views));
    else store.removeItem(viewsOf(person, list));
    return true;
  } catch {
    return false;
  }
}

/** @returns {string} one of `LOOKS` */
export function readLook(store = localStorage) {
  try {
    const kept = store.getItem(LOOK);
    return kept in LOOKS ? kept : "sistema";
  } catch {
    return "sistema";
  }
}

/** Let the page look so from now on. */
export function keepLook(look, store = localStorage) {
  showLook(look);
  try {
    if (look === "sistema") store.removeItem(LOOK);
    else store.setItem(LOOK, look);
  } catch {
    // no room, or not allowed: until the page is loaded anew
  }
}

/** Let the page look so. */
export function showLook(look) {
  document.documentElement.style.colorScheme = LOOKS[look];
}
