/**
 * What people read. The modules are written in Spanish; another language is one more file in `texts/`, with the same
 * keys as `texts/es.json`, and its name in the page's `lang`.
 */
const PAGE_LANGUAGE = globalThis.document?.documentElement.lang ?? "es";

/** @returns {Promise<{[spanish: string]: string}>} */
async function readTexts(language) {
  const answer = await fetch(new URL(`../texts/${language}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`There are no texts in ${language}`);
  return answer.json();
}

const texts = PAGE_LANGUAGE === "es" ? {} : await readTexts(PAGE_LANGUAGE);

/** What a catalogue calls a text: its values stand as `{0}`, `{1}` … and may change places. */
export const keyOf = (strings) => strings.reduce((key, string, at) => `${key}{${at - 1}}${string}`).replace(/\s*\n\s*/g, " ");

/**
 * A text for people, as a tag: t`Son ${count} filas`. What is false or missing is left out, as in templates.
 *
 * @returns {string} or, where a value is drawn by a template, the pieces as one child of it
 */
export function t(strings, ...values) {
  const found = texts[keyOf(strings)];
  const pieces = found === undefined ? strings.flatMap((string, at) => (at < values.length ? [string, values[at]] : [string])) : piecesOf(found, values);
  const isShown = (piece) => piece !== null && piece !== undefined && typeof piece !== "boolean";
  const shown = pieces.filter(isShown);
  return shown.some((piece) => typeof piece === "object") ? /** @type {any} */ (shown) : shown.join("");
}

const piecesOf = (text, values) => text.split(/\{(\d+)\}/).map((piece, at) => (at % 2 ? values[Number(piece)] : piece));
