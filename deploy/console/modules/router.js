/** Where one is, kept in the hash, so that no server needs to know the console's pages. */
import { createStore } from "./store.js";

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
addEventListener("hashchange", () => place.set(parseHash(location.hash)));

export function goTo(href, { replace = false } = {}) {
  if (replace) {
    history.replaceState(null, "", href);
    place.set(parseHash(location.hash));
  } else {
    location.hash = href.slice(1);
  }
}
