/** How a person likes their lists and the page: looks, and views that they have named; never what is in a list. They stay in this browser. */
import { keepDraftsInBrowser } from "./forms/drafts.js";
import { browserStore, endsWithPage } from "./kept.js";
import { ownName } from "./root.js";
import { t } from "./texts.js";

const root = () => document.documentElement;
/** How the page may look: the words for it, the first of which is as long as nobody chooses, and what they do. */
export const LOOKS = {
  aspecto: { title: t`Aspecto`, words: [t`sistema`, t`claro`, t`oscuro`], show: (at) => void (root().style.colorScheme = ["", "light", "dark"][at]) },
  borradores: { title: t`Borradores`, words: [t`este equipo`, t`esta pestaña`], show: (at) => keepDraftsInBrowser(at === 0) },
  filas: { title: t`Filas`, words: [t`cómodas`, t`compactas`], show: (at) => void root().classList.toggle("compact", at === 1) },
};

const PREFIX = ownName("consola.lista.");
const VIEWS = ownName("consola.vistas.");

/** @returns {object} what was remembered of a list; nothing where nothing can be read */
export function readLayout(list, store = browserStore) {
  try {
    return JSON.parse(store.getItem(PREFIX + list)) ?? {};
  } catch {
    return {};
  }
}

/** Remember more of a list's layout; where the browser keeps nothing, the list begins as it always does. */
export function keepLayout(list, changes, store = browserStore) {
  try {
    store.setItem(PREFIX + list, JSON.stringify({ ...readLayout(list, store), ...changes }));
  } catch {
    // no room, or not allowed
  }
}

const viewsOf = (person, list) => VIEWS + JSON.stringify([person, list]);

/** @returns {Record<string, string>} the addresses of the views that a person has named of a list */
export function readViews(person, list, store = browserStore) {
  try {
    return JSON.parse(store.getItem(viewsOf(person, list))) ?? {};
  } catch {
    return {};
  }
}

/** @returns {boolean} whether they are kept: not where the browser keeps nothing */
export function keepViews(person, list, views, store = browserStore) {
  try {
    if (Object.keys(views).length) store.setItem(viewsOf(person, list), JSON.stringify(views));
    else store.removeItem(viewsOf(person, list));
    return !endsWithPage(store);
  } catch {
    return false;
  }
}

const FAVOURITES = ownName("consola.favoritos.");
/** Favourites as long as a person has chosen none. */
const FIRST = [{ path: "/erp/Orders", title: t`Pedidos de venta` }];

/** @typedef {{path: string, title: string}} Favourite a page, by its address without conditions */

/** @returns {Favourite[]} what a person wants in the navigation */
export function readFavourites(person, store = browserStore) {
  try {
    const kept = JSON.parse(store.getItem(FAVOURITES + person));
    return Array.isArray(kept) ? kept.filter((each) => typeof each?.path === "string" && typeof each.title === "string") : FIRST;
  } catch {
    return FIRST;
  }
}

/** @returns {boolean} whether they are kept */
export function keepFavourites(person, favourites, store = browserStore) {
  try {
    store.setItem(FAVOURITES + person, JSON.stringify(favourites));
    return true;
  } catch {
    return false; // no room, or not allowed
  }
}

const lookName = (name) => ownName(`consola.${name}`);

/** @returns {string} one of the look's words */
export function readLook(name, store = browserStore) {
  const { words } = LOOKS[name];
  try {
    const kept = store.getItem(lookName(name));
    return words.includes(kept) ? kept : words[0];
  } catch {
    return words[0];
  }
}

/** Let the page look so from now on. */
export function keepLook(name, word, store = browserStore) {
  showLook(name, word);
  try {
    if (word === LOOKS[name].words[0]) store.removeItem(lookName(name));
    else store.setItem(lookName(name), word);
  } catch {
    // no room, or not allowed: until the page is loaded anew
  }
}

/** Let the page look so. */
export const showLook = (name, word) => LOOKS[name].show(LOOKS[name].words.indexOf(word));
