/** A phrase that says several things at once: `torres diciembre abierto` is a word, a span of days and a state. Pure. */
/* eslint console/words: off -- what people type */
import { readDigits } from "../numbers.js";
import { faultOf } from "./conditions.js";
import { fieldIn, operatorIn } from "./fields-in-words.js";
import { readDay, readPeriod } from "./periods.js";
import { plain } from "./spellings.js";

/** @typedef {import("./conditions.js").Condition} Condition */
/** @typedef {import("./conditions.js").Column} Column */

const LONGEST = 8; // words of one condition, such as `fecha del documento desde 15-03-2026`
const MOST_WORDS = 20; // of a phrase; more are a text that was pasted
const LEAST_CHOICE = 3; // letters: «sí» and «no» are values of many fields
const BARE = /^\d+([.,]\d+)?$/; // a number, a year or a document's number
const JOINS = ["en", "de", "del"]; // between words and a span of days
const BOUNDS = [["desde", "ge"], ["hasta", "le"]];
const COMPARISONS = [[">=", "ge"], ["≥", "ge"], ["<=", "le"], ["≤", "le"], [">", "gt"], ["<", "lt"], ["mas de ", "gt"], ["menos de ", "lt"], ["sobre ", "gt"], ["bajo ", "lt"]];

/**
 * @param {string} text
 * @param {Column[]} columns
 * @param {{searched: Column[], today: string}} options
 * @returns {Condition[] | null} at least two that all hold; null where the text says one thing only
 */
export function readPhrase(text, columns, { searched, today }) {
  const words = text.trim();
  if (words.split(/\s+/).length > MOST_WORDS) return null;
  const { column, rest } = fieldIn(words, columns);
  const isText = column?.type === "text";
  if (isText && operatorIn(column, rest.trim()).operator) return null; // all that follows is the text
  const { conditions, free } = parted(isText ? rest : words, columns, today);
  if (!conditions.length || (free && !isText && !searched.length)) return null;
  const said = !free ? [] : isText ? [{ name: column.name, operator: "contains", value: free }] : [{ text: free }];
  return said.length + conditions.length > 1 ? /** @type {Condition[]} */ ([...said, ...conditions]) : null;
}

/** What of the words are conditions, the longest first, and what is left. */
function parted(text, columns, today) {
  const words = text.trim().split(/\s+/);
  const [conditions, free] = [[], []];
  for (let at = 0; at < words.length; ) {
    const lengths = Array.from({ length: Math.min(LONGEST, words.length - at) }, (_, index) => index + 1).reverse();
    const found = lengths.map((length) => ({ length, condition: conditionIn(words.slice(at, at + length).join(" "), columns, today) })).find(({ condition }) => condition);
    if (found) {
      if (found.condition.operator === "in" && JOINS.includes(plain(free.at(-1) ?? ""))) free.pop();
      conditions.push(found.condition);
    } else free.push(words[at]);
    at += found?.length ?? 1;
  }
  return { conditions, free: free.join(" ") };
}

/** @returns {import("./conditions.js").FieldCondition | null} the one condition that exactly these words say */
function conditionIn(words, columns, today) {
  const { column, rest } = fieldIn(words, columns);
  const said = column && column.type !== "text" && rest.trim() ? ofField(column, rest.trim(), today) : null;
  return said ?? ofDays(words, columns, today) ?? ofChoice(words, columns) ?? ofAmount(words, columns);
}

function ofField(column, rest, today) {
  const { operator, value } = operatorIn(column, rest);
  if (column.type === "date") return ofDay(column, value, operator, today);
  if (column.type === "choice") {
    const choice = column.choices.find(({ title }) => plain(title) === plain(value));
    return choice ? { name: column.name, operator: operator ?? "eq", value: choice.value } : null;
  }
  return value && faultOf(column, { operator: "eq", value }) === null ? { name: column.name, operator: operator ?? "eq", value } : null;
}

function ofDay(column, value, operator, today) {
  const period = !operator || operator === "in" ? readPeriod(value, today) : null;
  if (period) return { name: column.name, operator: "in", value: period };
  const typed = operator === "in" ? null : readDay(value, today);
  return typed ? { name: column.name, operator: operator ?? "eq", value: typed } : null;
}

/** Days without a field are those of the first date, which is what a document is known by. */
function ofDays(words, columns, today) {
  const column = columns.find(({ type }) => type === "date");
  if (!column || BARE.test(words)) return null;
  const bound = BOUNDS.find(([word]) => plain(words).startsWith(`${word} `));
  return ofDay(column, bound ? words.slice(bound[0].length).trim() : words, bound?.[1] ?? null, today);
}

function ofChoice(words, columns) {
  if (words.length < LEAST_CHOICE) return null;
  const found = columns.flatMap((column) => (column.choices ?? []).filter(({ title }) => plain(title) === plain(words)).map(({ value }) => ({ name: column.name, operator: "eq", value })));
  return found.length === 1 ? found[0] : null;
}

/** A comparison without a field is with the first amount. */
function ofAmount(words, columns) {
  const column = columns.find(({ type }) => type === "number");
  const compared = column && COMPARISONS.find(([sign]) => plain(words).startsWith(sign));
  const value = compared && words.slice(compared[0].length).trim();
  return value && readDigits(value).fault === undefined ? { name: column.name, operator: compared[1], value } : null;
}
