/** What people look for in a list, and the `$filter` that it is. Pure. */
import { day } from "../formats.js";
import { readDigits } from "../numbers.js";
import { t } from "../texts.js";
import { periodInWords, rangeOf } from "./periods.js";
import { spellingsOf } from "./spellings.js";

/**
 * @typedef {{text: string, name?: undefined, operator?: undefined, value?: undefined}} Text words, in any column that a search looks in
 * @typedef {{name: string, operator: string, value: string, text?: undefined}} FieldCondition
 * @typedef {Text | FieldCondition} Condition
 * @typedef {{name: string, title: string, type: string, choices?: {value: string, title: string}[], search?: string | null}} Column
 */

/** What can be said of each type, in the order in which it is offered; `in` a date stands for a span of days. */
export const OPERATORS = {
  text: [["contains", t`contiene`], ["startswith", t`empieza con`], ["eq", t`es`], ["ne", t`no es`]],
  choice: [["eq", t`es`], ["ne", t`no es`]],
  number: [["eq", "="], ["ge", "≥"], ["le", "≤"], ["gt", ">"], ["lt", "<"], ["ne", "≠"]],
  integer: [["eq", "="], ["ge", "≥"], ["le", "≤"], ["gt", ">"], ["lt", "<"], ["ne", "≠"]],
  date: [["in", t`en`], ["eq", t`el día`], ["ge", t`desde`], ["le", t`hasta`]],
};
/** How much one filter may hold: fewer conditions than the gateway takes, and its lengths of a text, a filter and an encoded query. */
export const LIMITS = { conditions: 90, text: 254, filter: 4096, encoded: 7500 };

const ALTERNATIVES = ["eq", "contains", "startswith", "in"]; // several values of one field: any of them
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const LARGEST_INTEGER = 2_147_483_647; // beyond it the ERP refuses the whole filter
const isNumeric = ({ type }) => type === "number" || type === "integer";
const isText = ({ type }) => type === "text";
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
const columnOf = (condition, columns) => columns.find((column) => column.name === condition.name);
const wordsOf = (text) => text.trim().split(/\s+/);

/** The columns that a search looks in: those that the service says, else what are keys and texts by their types. */
export function searchedOf({ columns, key }) {
  if (columns.some(({ search }) => search)) return columns.filter(({ search }) => search);
  const keys = key.map((part) => columns.find(({ name }) => name === part.name) ?? { ...part, title: part.name, choices: [] });
  const texts = columns.filter((column) => isText(column) && !keys.includes(column));
  return [...keys.filter(({ type }) => type !== "date").map((each) => ({ ...each, search: "code" })), ...texts.map((each) => ({ ...each, search: "name" }))];
}

/** @returns {Condition[]} those that an address holds, as far as they are any */
export function readConditions(written) {
  try {
    const found = JSON.parse(written ?? "[]");
    return (Array.isArray(found) ? found : []).filter((each) => each?.text || (each?.name && each.value)).map(tidied).filter(({ text }) => text !== "");
  } catch {
    return []; // somebody wrote the address by hand
  }
}

/** @returns {Condition} */
const tidied = ({ text, name, operator, value }) => (text ? { text: String(text).trim() } : { name: String(name), operator: String(operator), value: String(value) });

const isSame = (one, other) => JSON.stringify(tidied(one)) === JSON.stringify(tidied(other));

/** With one more, beside those of its field; the same one is not said twice. */
export function withCondition(conditions, added) {
  if (conditions.some((each) => isSame(each, added))) return conditions;
  const at = added.name ? conditions.findLastIndex(({ name }) => name === added.name) : -1;
  return at < 0 ? [...conditions, added] : conditions.toSpliced(at + 1, 0, added);
}

/** Whether one of both is enough. */
export const isEither = (one, other) => one.name !== undefined && one.name === other.name && [one, other].every(({ operator }) => ALTERNATIVES.includes(operator));

/** @returns {string | null} what is wrong with what a condition says of a column */
export function faultOf(column, { operator, value }) {
  if (!OPERATORS[column.type].some(([code]) => code === operator)) return t`No hay tal condición.`;
  if (operator === "in") return rangeOf(value, "2000-01-01") ? null : t`No hay tal período.`;
  if (column.type === "date") return DAY.test(value) ? null : t`Escriba una fecha.`;
  if (column.type === "integer") return faultOfInteger(value.trim());
  return column.type === "number" ? (readDigits(value).fault ?? null) : tooLong(value);
}

function faultOfInteger(typed) {
  const { digits = "" } = readDigits(typed);
  if (!/^-?\d+$/.test(digits)) return t`Escriba un número entero.`;
  return Math.abs(Number(digits)) > LARGEST_INTEGER ? t`El ERP cuenta hasta ${LARGEST_INTEGER}.` : null;
}

const tooLong = (text) => (text.length > LIMITS.text ? t`Son más de ${LIMITS.text} letras.` : null);

function faultIn(condition, columns, searched) {
  if (condition.text === undefined) {
    const column = columnOf(condition, columns);
    return column ? faultOf(column, condition) : t`No hay tal campo.`;
  }
  const lost = wordsOf(condition.text).find((word) => !searched.some((column) => canHold(column, word)));
  return lost === undefined ? tooLong(condition.text) : t`Aquí se busca por ${searched.map(({ title }) => title).join(", ")}, y «${lost}» no puede estar ahí.`;
}

const canHold = (column, word) => isText(column) || (/^\d+$/.test(word) && Number(word) <= LARGEST_INTEGER);

/**
 * @typedef {object} Asked
 * @property {string} filter empty where something is refused
 * @property {{condition: Condition | null, fault: string}[]} refused
 * @property {string | null} told what it leaves out
 */

/**
 * What is asked of the gateway: conditions are joined by `and`, values of one field by `or`; a text is asked for in its few spellings.
 *
 * @param {Condition[]} conditions those without a value are left out
 * @param {Column[]} columns
 * @param {{searched?: Column[], today?: string, room?: number}} [options] `searched`: what a text is looked for in; `room`: the bytes that
 *   the filter may take when it is encoded
 * @returns {Asked}
 */
export function filterOf(conditions, columns, { searched = [], today = "", room = LIMITS.encoded } = {}) {
  const stated = conditions.filter(({ text, value }) => text || value);
  const refused = stated.map((condition) => ({ condition, fault: faultIn(condition, columns, searched) })).filter(({ fault }) => fault !== null);
  if (refused.length) return { filter: "", refused, told: null };
  const names = searched.filter(({ search }) => search === "name");
  const hasText = stated.some(({ text }) => text);
  const ways = [
    { among: searched, spell: spellingsOf, told: null },
    ...(hasText && names.length ? [{ among: names, spell: spellingsOf, told: t`El texto se buscó solo en ${names.map(({ title }) => title).join(", ")}: más no cabe en una consulta.` }] : []),
    { among: searched, spell: (word) => [word], told: t`El texto se buscó tal como está escrito, con sus acentos: sus otras formas no caben en una consulta.` },
  ];
  let most = 0;
  for (const { among, spell, told } of ways) {
    const { filter, count } = written(stated, columns, among, spell, today);
    if (count <= LIMITS.conditions && filter.length <= LIMITS.filter && encodedLength(filter) <= room) return { filter, refused, told };
    most = count;
  }
  const fault = most > LIMITS.conditions ? t`Son ${most} condiciones y en una consulta caben ${LIMITS.conditions}.` : t`Es más largo que lo que cabe en una consulta.`;
  return { filter: "", refused: [{ condition: null, fault: t`${fault} Quite alguna.` }], told: null };
}

/** How many bytes a value takes in the gateway's query, which leaves few signs as they are. */
export const encodedLength = (text) => encodeURIComponent(text).replace(/[!'()*]/g, "%00").length;

/** The filter, however large: parts of which all hold, each a list of alternatives. */
function written(conditions, columns, searched, spell, today) {
  const parts = new Map();
  for (const [at, condition] of conditions.entries()) {
    if (condition.text === undefined) {
      const part = ALTERNATIVES.includes(condition.operator) ? condition.name : at;
      parts.set(part, [...(parts.get(part) ?? []), ...clauses(condition, columnOf(condition, columns), spell, today)]);
    } else for (const [index, word] of wordsOf(condition.text).entries()) parts.set(`${at}.${index}`, searched.flatMap((column) => holding(column, word, spell)));
  }
  const every = [...parts.values()];
  const joined = every.map((part) => (part.length > 1 && every.length > 1 ? `(${part.join(" or ")})` : part.join(" or ")));
  const count = every.flat().reduce((sum, each) => sum + (each.startsWith("(") ? 2 : 1), 0);
  return { filter: joined.join(" and "), count };
}

function holding(column, word, spell) {
  if (isText(column)) return spell(word).map((each) => `contains(${column.name},${quoted(each)})`);
  return canHold(column, word) ? [`${column.name} eq ${Number(word)}`] : [];
}

/** A condition on a field as alternatives of which one is enough. */
function clauses({ name, operator, value }, column, spell, today) {
  if (operator === "in") {
    const [from, to] = rangeOf(value, today);
    return from === to ? [`${name} eq '${from}'`] : [`(${name} ge '${from}' and ${name} le '${to}')`];
  }
  if (!isText(column) || operator === "ne") return [`${name} ${operator} ${literalOf(column, value)}`];
  const texts = wholeSpellings(value, spell).map(quoted);
  return texts.map((text) => (operator === "eq" ? `${name} eq ${text}` : `${operator}(${name},${text})`));
}

/** A text of several words in all combinations of their spellings. */
function wholeSpellings(text, spell) {
  const pieces = text.split(/(\s+)/);
  return pieces.reduce((begun, piece) => (begun.length > LIMITS.conditions ? begun : begun.flatMap((each) => spell(piece).map((one) => each + one))), [""]);
}

/** A value as a filter writes it. */
export const literalOf = (column, value) => (isNumeric(column) ? readDigits(value).digits : quoted(value));

/** A condition as people read it. @param {Condition} condition @param {Column[]} columns */
export function inWords({ text, name, operator, value }, columns) {
  if (text !== undefined) return t`«${text}»`;
  const column = columnOf({ name }, columns);
  const title = column?.title ?? name;
  if (operator === "in") return `${title}: ${periodInWords(value)}`;
  const word = OPERATORS[column?.type ?? "text"].find(([code]) => code === operator)?.[1] ?? operator;
  const shown = column?.choices?.find((choice) => choice.value === value)?.title ?? (column?.type === "date" ? day(value) : value);
  return `${title} ${word} ${shown}`;
}
