/** How a record's values are named, written and linked. */
import { day, number } from "../../formats.js";
import { html } from "../../html.js";
import { hrefTo } from "../../addresses.js";

/** Those that people have a word for come first, then those that only the ERP names. */
export function knownFirst(columns) {
  const isBare = ({ name, title }) => Number(name === title);
  return [...columns].sort((one, other) => isBare(one) - isBare(other) || one.title.localeCompare(other.title, "es"));
}

/**
 * @param {unknown} value
 * @param {{type: string, choices?: {value: string, title: string}[]}} field what is known of it
 */
export function write(value, { type, choices }) {
  if (value === null || value === undefined || value === "") return "";
  const choice = choices?.find((each) => each.value === value);
  if (choice) return choice.title;
  if (type === "date") return day(value);
  if (type === "number") return number(value);
  return String(value);
}

/** A value, as a link where it is the key of another record that this person may read. */
export function Value({ value, field, offer }) {
  const text = write(value, field);
  if (text === "") return html`<span class="muted">–</span>`;
  const target = field.lookup && offer.items.find((each) => each.name === field.lookup.resource && each.methods.includes("GET"));
  return target ? html`<a href=${hrefTo(["erp", target.name, value])}>${text}</a>` : text;
}

export const isScalar = (value) => value === null || typeof value !== "object";

const LINE_FIELDS = [
  "LineNum", "ItemCode", "ItemDescription", "Quantity", "RemainingOpenQuantity", "MeasureUnit", "UnitPrice", "DiscountPercent", "LineTotal",
  "WarehouseCode", "LineStatus", "AccountCode", "Debit", "Credit", "InStock", "Committed", "Ordered",
];
const MOST_COLUMNS = 11;
const LEAST_COLUMNS = 4;

/** The properties of a collection that are worth columns: the ones that people know, else the first that say anything. */
export function columnsOfLines(lines) {
  const says = (name) => lines.some((line) => isScalar(line[name]) && line[name] !== null && line[name] !== undefined && line[name] !== "");
  const known = LINE_FIELDS.filter(says);
  if (known.length >= LEAST_COLUMNS) return known.slice(0, MOST_COLUMNS);
  const others = Object.keys(lines[0] ?? {}).filter((name) => !known.includes(name) && says(name));
  return [...known, ...others].slice(0, MOST_COLUMNS);
}
