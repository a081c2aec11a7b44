/** Where one is, and how one goes elsewhere. */
import { parseHash } from "./addresses.js";
import { createStore } from "./store.js";
import { holdsUnsaved, leave } from "./forms/unsaved.js";

const GROWS_MS = 10_000;
export const place = createStore(parseHash(location.hash));
let here;
/** The last address of each page in this tab: a list with what was looked for in it. */
const last = new Map();
/** How far down each address was when it was left. */
const leftAt = new Map();
let down = 0;
let returning = null;
let stopFollowing = () => {};
addEventListener("scroll", () => (down = scrollY), { passive: true });
arrive();

/** Take the address for the place where one is, and mark its entry: one that a link has just made has no mark. */
function arrive(isReturn = false) {
  stopFollowing();
  leftAt.set(here, down);
  here = location.hash;
  history.replaceState({}, "");
  const at = parseHash(here);
  last.set(at.path, here);
  place.set(at);
  if (isReturn) scrollDown(leftAt.get(here) ?? 0);
}

/** Forget where somebody has been and what they looked for there. */
export function forgetPlaces() {
  last.clear();
  leftAt.clear();
}

/** Where a page was left in this tab; where it was never opened, its plain address. */
export const lastAt = (href) => last.get(parseHash(href).path) ?? href;

/** Say that a link goes back to where somebody has been, so that it opens as far down as they left it. */
export const markReturn = (href) => (returning = href);

/** Be so far down, and again when the page grows, until it is touched or `GROWS_MS` are over: what it shows is still to come. */
function scrollDown(wanted) {
  if (!wanted) return;
  const watcher = new ResizeObserver(() => scrollTo({ top: wanted, behavior: "instant" }));
  const touches = ["wheel", "touchstart", "keydown", "pointerdown"];
  const timer = setTimeout(() => stopFollowing(), GROWS_MS);
  stopFollowing = () => {
    clearTimeout(timer);
    watcher.disconnect();
    for (const each of touches) removeEventListener(each, stopFollowing);
  };
  for (const each of touches) addEventListener(each, stopFollowing, { passive: true });
  watcher.observe(document.body);
}

addEventListener("hashchange", () => {
  const wanted = location.hash;
  if (wanted === here) return;
  const isReturn = history.state !== null || returning === wanted;
  returning = null;
  if (!holdsUnsaved()) return arrive(isReturn);
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
