/** How a record's values are named, written and linked. */
import { day, number } from "../../formats.js";
import { html } from "../../html.js";
import { hrefTo } from "../../addresses.js";

const WORDS = { tYES: "Sí", tNO: "No", bost_Open: "Abierto", bost_Close: "Cerrado" };
const NAMES_SOMETHING = /(Num|Number|Entry|Code|Series|Type|ID|Line|Group)$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T00:00:00Z?)?$/;

/** Those that people have a word for come first, then those that only the ERP names. */
export function knownFirst(columns) {
  const isBare = ({ name, title }) => Number(name === title);
  return [...columns].sort((one, other) => isBare(one) - isBare(other) || one.title.localeCompare(other.title, "es"));
}

/** The type of a property of which nothing but name and value is known: numbers that name something are no amounts. */
export function guessType(value, name = "") {
  if (typeof value === "number") return NAMES_SOMETHING.test(name) ? "integer" : "number";
  return typeof value === "string" && DATE.test(value) ? "date" : "text";
}

export function write(value, column, name) {
  if (value === null || value === undefined || value === "") return "";
  const choice = column?.choices?.find((each) => each.value === value);
  if (choice) return choice.title;
  const type = column?.type ?? guessType(value, name);
  if (type === "date") return day(value);
  if (type === "number") return number(value);
  return WORDS[value] ?? String(value);
}

/** A value, as a link where another resource is keyed by a property of this name. */
export function Value({ name, value, column, offer, own }) {
  const text = write(value, column, name);
  if (text === "") return html`<span class="muted">–</span>`;
  const target = linkOf(name, offer, own);
  return target ? html`<a href=${hrefTo(["erp", target.name, value])}>${text}</a>` : text;
}

function linkOf(name, offer, own) {
  const targets = offer.items.filter((each) => each.name !== own && each.key.length === 1 && each.key[0].name === name && each.methods.includes("GET"));
  return targets.length === 1 ? targets[0] : null; // DocEntry is the key of many and leads nowhere
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
