/** What may be meant by what stands in the search box: words, or conditions on a field. Pure. */
import { day } from "../formats.js";
import { readingsOf } from "../numbers.js";
import { t } from "../texts.js";
import { OPERATORS, faultOf, inWords } from "./conditions.js";
import { fieldIn, operatorIn } from "./fields-in-words.js";
import { PERIODS, readDay, readPeriod } from "./periods.js";
import { readPhrase } from "./phrases.js";
import { plain } from "./spellings.js";

/**
 * @typedef {import("./conditions.js").Condition} Condition
 * @typedef {import("./conditions.js").Column} Column
 * @typedef {object} Suggestion
 * @property {string} label
 * @property {Condition[]} [conditions] what it adds
 * @property {string} [typed] what it puts into the box instead, to be gone on with
 */

const MOST = 12; // where nobody has named a field
const AMOUNT = /^\d+\.\d+$/; // a day without its year only where a date is wanted

/**
 * @param {string} text what stands in the box
 * @param {Column[]} columns
 * @param {{searched: Column[], today: string}} options
 * @returns {{options: Suggestion[], fault: string | null}} the first one is what Enter takes
 */
export function suggestionsOf(text, columns, { searched, today }) {
  const words = text.normalize("NFC").trimStart();
  const phrase = readPhrase(words, columns, { searched, today });
  const { options, fault } = suggestionsOfOne(words, columns, { searched, today });
  if (!phrase) return { options, fault };
  const whole = { label: phrase.map((each) => inWords(each, columns)).join(t` y `), conditions: phrase };
  return { options: [whole, ...options].slice(0, MOST), fault: null };
}

/** What is suggested where the words say one thing. */
function suggestionsOfOne(words, columns, { searched, today }) {
  if (!words) return { options: columns.map(ofField), fault: null };
  const free = searched.length ? [{ label: t`Buscar «${words.trim()}»`, conditions: [{ text: words.trim() }] }] : [];
  const { column, rest } = fieldIn(words, columns);
  if (!column) {
    const first = meant(words.trim(), columns, today).slice(0, MOST - free.length); // however many, the words can be looked for
    return { options: [...first, ...free, ...perhaps(words.trim(), columns, searched, today)].slice(0, MOST), fault: null };
  }
  const { options, fault, isMeant } = valuesOf(column, rest, today);
  if (isMeant) return { options, fault };
  if (fault) return { options: free, fault: null };
  const isBegun = rest.trim() === "" && !/\s$/.test(words); // the name of a field may be a word to look for, too
  return { options: isBegun ? [...free, ...options] : [...options, ...free], fault: null };
}

const ofField = ({ title }) => ({ label: t`${title}…`, typed: `${title} ` });
const ofCondition = (condition, columns) => ({ label: inWords(condition, columns), conditions: [condition] });

/** What can be said of a field with what was typed behind its name. */
function valuesOf(column, rest, today) {
  const { operator, value, isMeant } = operatorIn(column, rest.trim());
  const wanted = operator ? [operator] : OPERATORS[column.type].map(([code]) => code);
  const begun = wanted.map((each) => ({ label: t`${column.title} ${wordOf(column, each)}…`, typed: `${column.title} ${wordOf(column, each)} ` }));
  const of = (each, said) => ofCondition({ name: column.name, operator: each, value: said }, [column]);
  const nothing = (fault) => ({ options: [], fault, isMeant });
  if (column.type === "choice") {
    const found = column.choices.filter(({ title }) => plain(title).includes(plain(value)));
    const options = (operator ? wanted : value ? ["eq"] : ["eq", "ne"]).flatMap((each) => found.map((choice) => of(each, choice.value)));
    return options.length ? { options, fault: null, isMeant } : nothing(`${column.title}: ${column.choices.map(({ title }) => title).join(", ")}.`);
  }
  if (column.type === "date") return { ...daysOf(column, operator, value, today, { of, begun }), isMeant };
  if (!value) return { options: operator ? [] : begun, fault: null, isMeant };
  const fault = column.type === "text" ? null : faultOf(column, { operator: "eq", value });
  return fault ? nothing(`${column.title}: ${fault}`) : { options: wanted.map((each) => of(each, value)), fault: null, isMeant };
}

function daysOf(column, operator, value, today, { of, begun }) {
  const isSpan = !operator || operator === "in";
  const spans = isSpan ? [...new Set([readPeriod(value, today), ...PERIODS.filter((each) => plain(each).includes(plain(value)))])].filter(Boolean) : [];
  const typed = readDay(value, today);
  const bounds = typed ? ["eq", "ge", "le"].filter((each) => !operator || operator === each) : [];
  const options = [...bounds.map((each) => of(each, typed)), ...spans.map((each) => of("in", each)), ...(value || operator ? [] : begun.slice(1))];
  return { options, fault: options.length || !value ? null : t`${column.title}: escriba una fecha, como ${day(today)}, o un período, como «este mes».` };
}

const wordOf = (column, operator) => OPERATORS[column.type].find(([code]) => code === operator)[1];

/** Conditions that the words say without a field: a value that a field has, a day, a span. */
function meant(words, columns, today) {
  const choices = columns.flatMap((column) => (column.choices ?? []).filter(({ title }) => plain(title) === plain(words)).map(({ value }) => ({ name: column.name, operator: "eq", value })));
  const isSpan = !/^\d+$/.test(words); // a bare number may be a document's
  const period = isSpan ? readPeriod(words, today) : null;
  const typed = AMOUNT.test(words) ? null : readDay(words, today);
  const dates = columns.filter(({ type }) => type === "date");
  const named = period ? [{ operator: "in", value: period }] : typed ? ["eq", "ge", "le"].map((operator) => ({ operator, value: typed })) : [];
  return [...choices, ...dates.flatMap(({ name }) => named.map((each) => ({ name, ...each })))].map((each) => ofCondition(each, columns));
}

/** What else it may become: fields that are called so, amounts, texts that no search looks in, the beginning of a span. */
function perhaps(words, columns, searched, today) {
  const fields = columns.filter(({ title }) => plain(title).includes(plain(words))).map(ofField);
  const of = (column, operator, value) => ofCondition({ name: column.name, operator, value }, columns);
  const isSearched = (column) => searched.some(({ name }) => name === column.name);
  const begun = words.length > 2 && readPeriod(words, today) === null ? PERIODS.filter((each) => plain(each).includes(plain(words))) : [];
  const readings = readingsOf(words);
  const values = columns.flatMap((column) => {
    if (column.type === "number") return readings.flatMap((reading) => ["eq", "ge", "le"].map((operator) => of(column, operator, reading)));
    if (column.type === "date") return begun.map((each) => of(column, "in", each));
    if (column.type === "text") return isSearched(column) ? [] : [of(column, "contains", words)];
    if (column.type === "choice") return column.choices.filter(({ title }) => plain(title).includes(plain(words)) && plain(title) !== plain(words)).map(({ value }) => of(column, "eq", value));
    return [];
  });
  return [...fields, ...values];
}

