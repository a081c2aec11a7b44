/** Where one is, kept in the hash, so that no server needs to know the console's pages. */
import { createStore } from "./store.js";
import { holdsUnsaved, leave } from "./unsaved.js";

/** @returns {{path: string, segments: string[], query: URLSearchParams}} */
export function parseHash(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const segments = path.split("/").filter(Boolean).map(decode);
  return { path: `/${path}`, segments, query: new URLSearchParams(search) };
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a hand-typed "%": shown as it is
  }
}

/** The address of a page: segments are encoded, empty parameters left out. */
export function hrefTo(segments, query = {}) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value != null));
  const path = segments.map((segment) => encodeURIComponent(segment)).join("/");
  return `#/${path}${search.size ? `?${search}` : ""}`;
}

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
