/** What was typed in a form, and which field of it the ERP names where it refuses. Pure. */

const PLACE = /\[\w+\.(\w+)\](?:\s*\[line: (\d+)\])?/; // "Invalid BP code [ORDR.CardCode] , 'X'", "… [RDR1.ItemCode][line: 1]"

/** @typedef {{path: string, name: string, text: string, line: number | null, lookup: {resource: string} | null}} Typed what was typed in one field; `line`: its place among the lines that are sent, from 1 */

/**
 * The field that the ERP's message names; null where it names none that was typed.
 *
 * @param {string} message
 * @param {Typed[]} typed
 */
export function placeOf(message, typed) {
  const [, name, line] = PLACE.exec(message) ?? [];
  return typed.find((each) => each.name === name && each.line === (line === undefined ? null : Number(line)))?.path ?? null;
}

/**
 * What was typed in new lines, each with its place among those that are sent.
 *
 * @param {Record<string, string>[]} lines
 * @param {any[]} columns
 * @param {{prefix: string, before?: number}} options `before`: lines that are sent before them
 * @returns {Typed[]}
 */
export function typedInLines(lines, columns, { prefix, before = 0 }) {
  const isFilled = (line) => columns.some(({ name }) => (line[name] ?? "").trim() !== "");
  let sent = before;
  return lines.flatMap((line, at) => {
    if (!isFilled(line)) return [];
    sent += 1;
    return columns.map(({ name, lookup = null }) => ({ path: `${prefix}${at}.${name}`, name, text: line[name] ?? "", line: sent, lookup }));
  });
}
