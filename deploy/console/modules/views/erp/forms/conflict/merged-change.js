/** The change that follows from the choices in a conflict, over the version that the ERP has. Pure. */
import { rowsToSend } from "../row-shapes.js";

/** @typedef {import("./differences.js").Difference} Difference @typedef {import("./differences.js").Side} Side */

/** The choice for a difference: it holds as long as the other side's value is the one that the person saw. */
export const choiceKey = ({ path, theirs }) => JSON.stringify([path, theirs]);

/** @param {Difference} each @param {Record<string, Side>} choices @returns {Side | null} */
export const sideOf = (each, choices) => (each.effect === null ? "theirs" : choices[choiceKey(each)] ?? each.side);

/** The differences that need a decision. @param {Difference[]} differences @param {Record<string, Side>} choices */
export const undecided = (differences, choices) => differences.filter((each) => sideOf(each, choices) === null);

/**
 * @param {Difference[]} differences
 * @param {Record<string, Side>} choices
 * @param {any} now the record as the ERP has it
 * @param {{shape: any}[]} parts
 * @returns {{changes: any, replaces: boolean, resizes: boolean}}
 */
export function mergedChange(differences, choices, now, parts) {
  const effects = differences.filter((each) => sideOf(each, choices) === "mine").map(({ effect, value }) => ({ .../** @type {any} */ (effect), value }));
  const changes = Object.fromEntries(effects.filter(({ kind }) => kind === "field").map(({ name, value }) => [name, value]));
  const rows = parts.map(({ shape }) => {
    const own = effects.filter((each) => each.shape?.name === shape.name);
    const done = { changes: {}, removed: new Set(own.filter(({ kind }) => kind === "removal").map(({ number }) => number)), fresh: own.filter(({ kind }) => kind === "addition").map(({ row }) => row) };
    for (const { number, field, value } of own.filter(({ kind }) => kind === "cell")) done.changes[number] = { ...done.changes[number], [field]: value };
    return { shape, done, before: now[shape.name] ?? [] };
  });
  const replaces = rows.some(({ done }) => done.removed.size > 0);
  for (const { shape, done, before } of rows) {
    const sent = rowsToSend(shape, before, done, replaces);
    if (sent.length) changes[shape.name] = sent;
  }
  return { changes, replaces, resizes: replaces || rows.some(({ done }) => done.fresh.length > 0) };
}
