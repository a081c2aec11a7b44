/** Pages that a person wants in the navigation; kept in this browser, for each person. */
import { keepFavourites, readFavourites } from "./preferences.js";
import { gateway, gatewaySession } from "./session/gateway-session.js";
import { createStore } from "./store.js";

/** @typedef {import("./preferences.js").Favourite} Favourite */

export const favourites = createStore(/** @type {Favourite[]} */ ([]));

const readAll = () => favourites.set(gatewaySession.get().user ? readFavourites(gateway.person()) : []);
gatewaySession.subscribe(readAll); // another person has others
readAll();

/** Add a page behind the others, or take it out. @param {Favourite} page */
export function toggleFavourite({ path, title }) {
  const now = readFavourites(gateway.person()); // another tab may have changed them
  const next = now.some((each) => each.path === path) ? now.filter((each) => each.path !== path) : [...now, { path, title }];
  keepFavourites(gateway.person(), next);
  favourites.set(next);
}
