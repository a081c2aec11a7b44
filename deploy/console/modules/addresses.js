/** The addresses of pages, kept in the hash, so that no server needs to know them. Pure. */

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
