/** Where one is, and how one goes elsewhere. */
import { parseHash } from "./addresses.js";
import { createStore } from "./store.js";
import { holdsUnsaved, leave } from "./forms/unsaved.js";

export const place = createStore(parseHash(location.hash));
let here;
arrive();

/** Take the address for the place where one is, and mark its entry: one that a link has just made has no mark. */
function arrive() {
  here = location.hash;
  history.replaceState({}, "");
  place.set(parseHash(here));
}

addEventListener("hashchange", () => {
  const wanted = location.hash;
  if (wanted === here) return;
  if (!holdsUnsaved()) return arrive();
  if (history.state) history.pushState({}, "", here); // somebody went back
  else history.back();
  return leave(() => goTo(wanted));
});

/** Go to a page at once, whatever has been typed. */
export function goTo(href, { replace = false } = {}) {
  if (replace) history.replaceState({}, "", href);
  else history.pushState({}, "", href);
  arrive();
}
