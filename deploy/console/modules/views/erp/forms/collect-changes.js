/** What a change form sends: only what differs from the record. Pure. */
import { rowsToSend } from "./row-shapes.js";
import { asText, readText } from "./typed-values.js";

/**
 * @param {object} typed
 * @param {Record<string, string>} typed.texts what was typed, by field
 * @param {(name: string) => {type: string}} typed.columnOf
 * @param {any[]} typed.collections what `useLines` gives of each
 * @param {any} record that the person sees
 * @returns {{changes: any, replaces: boolean, resizes: boolean, found: Record<string, string>, parts: any[]}} `found`: faults by field;
 *   `replaces`: rows that are not sent are deleted; `resizes`: there will be more or fewer rows
 */
export function collectChanges({ texts, columnOf, collections }, record) {
  /** @type {Record<string, string>} */
  const found = {};
  const changes = {};
  for (const [name, text] of Object.entries(texts)) {
    const { type } = columnOf(name);
    const { value, fault } = readText(text, type);
    if (fault) found[name] = fault;
    else if (text !== asText(record[name], type) && value !== record[name]) changes[name] = value;
  }
  const parts = collections.map(({ shape, read }) => ({ shape, before: record[shape.name] ?? [], done: read(record[shape.name] ?? [], found) }));
  const replaces = parts.some(({ shape, before, done }) => before.some((row) => done.removed.has(row[shape.number])));
  for (const { shape, before, done } of parts) {
    const rows = rowsToSend(shape, before, done, replaces);
    if (rows.length) changes[shape.name] = rows;
  }
  return { changes, replaces, resizes: replaces || parts.some(({ done }) => done.fresh.length > 0), found, parts };
}
