/** How a record's values are named, written and linked. */
import { Badge } from "../../components/badge.js";
import { currencyOf } from "../../currencies.js";
import { day, money, number } from "../../formats.js";
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

/** Amounts in the company's currency, and the ones beside them in that of the document. */
const IN_OWN_CURRENCY = {
  DocTotal: "DocTotalFc", VatSum: "VatSumFc", TotalDiscount: "TotalDiscountFC", DownPaymentAmount: "DownPaymentAmountFC", PaidToDate: "PaidToDateFC", CashSum: "CashSumFC", LineTotal: "RowTotalFC", OpenAmount: "OpenAmountFC",
  NetTaxAmount: "NetTaxAmountFC", GrossTotal: "GrossTotalFC", Debit: "FCDebit", Credit: "FCCredit", SumApplied: "AppliedFC",
};
const CURRENCIES = ["FCCurrency", "DocCurrency", "Currency"]; // where the document's stands, in the row or around it

/** The field that has an amount in the document's own currency; undefined where there is none. */
export const ownAmountOf = (name) => (Object.hasOwn(IN_OWN_CURRENCY, name) ? IN_OWN_CURRENCY[name] : undefined);

/**
 * A value in words, an amount with its currency: in that of its document first, with the company's beside it.
 *
 * @param {any} value
 * @param {any} field
 * @param {object} row
 * @param {object} [around] the record whose row it is
 */
export function writeIn(value, field, row, around = {}) {
  const currency = typeof value === "number" ? currencyOf(field.measure, row, around) : undefined;
  if (currency === undefined) return write(value, field);
  const words = money(value, currency, { isPrice: !field.measure.adds });
  const own = row[ownAmountOf(field.name)];
  const at = CURRENCIES.map((name) => row[name] ?? around[name]).find((code) => code && code !== currency);
  return typeof own === "number" && own !== 0 && at ? `${money(own, at)} · ${words}` : words;
}

const AUTHORIZATIONS = { Pending: "warn", Approved: "ok", Rejected: "bad", Generated: "ok", GeneratedbyAuthorizer: "ok", Cancelled: "bad" };
/** Values of the ERP's enumerations that say how far something is, by the kind of badge that shows them; each means the same in all. */
const STATES = {
  bost_Open: "now", so_Open: "now", bost_Close: "", so_Closed: "", bost_Paid: "ok", bost_Delivered: "ok", csYes: "bad", csCancellation: "bad",
  dlps_NotPicked: "", dlps_ReleasedForPicking: "now", dlps_PartiallyPicked: "warn", dlps_Picked: "ok",
  ...Object.fromEntries(["das", "pas", "sas"].flatMap((of) => Object.entries(AUTHORIZATIONS).map(([state, kind]) => [of + state, kind]))),
};

/** A state of a record as a badge; null for every other value. */
export const stateOf = (value, field) => (Object.hasOwn(STATES, value) ? html`<${Badge} kind=${STATES[value]}>${write(value, field)}<//>` : null);

/** The resource of the record that a field's values lead to, where this person may read it. */
export const targetOf = ({ lookup }, offer) => lookup && offer.items.find(({ name, methods }) => name === lookup.resource && methods.includes("GET"));

/**
 * A value, as a link where it is the key of another record that this person may read.
 *
 * @param {{value: any, field: any, offer: {items: any[]}, row?: object, around?: object, nameOf?: (field: any, value: any) => string | undefined, nothing?: any}} props `row`: whose value it is
 */
export function Value({ value, field, offer, row = {}, around = {}, nameOf, nothing = html`<span class="muted">–</span>` }) {
  const text = writeIn(value, field, row, around);
  if (text === "") return nothing;
  const state = stateOf(value, field);
  if (state) return state;
  const target = targetOf(field, offer);
  const name = nameOf?.(field, value);
  return target ? html`<a href=${hrefTo(["erp", target.name, value])}>${text}${name && html`<span class="wrapped"> · ${name}</span>`}</a>` : text;
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

export const oneOf = (resource) => resource.singular ?? resource.title ?? resource.name;

/** What a record's page is called: a partner by its name, all else by what people know it by. */
export function headOf(resource, record, key) {
  const known = `${oneOf(resource)} ${record[resource.columns[0]?.name] ?? key}`;
  const isPartner = resource.key.length === 1 && resource.key[0].name === "CardCode" && record.CardName;
  return isPartner ? { title: record.CardName, about: known } : { title: known, about: undefined };
}

/**
 * The documents that the lines of a record name, each once.
 *
 * @param {{resource: string, number: number | null}[]} documents what the numbers stand for
 * @returns {{way: string, resource: string, entry: number}[]}
 */
export function flowOf(record, documents) {
  const lines = Object.values(record).filter(Array.isArray).flat().filter((line) => line !== null && typeof line === "object");
  const found = ["Base", "Target"].flatMap((way) => lines.map((line) => ({ way, number: line[`${way}Type`], entry: line[`${way}Entry`] })));
  const named = found.filter(({ entry }) => Number.isInteger(entry)).map(({ way, number, entry }) => ({ way, entry, resource: documents.find((each) => each.number === number)?.resource }));
  const seen = new Map(named.filter(({ resource }) => resource).map((each) => [JSON.stringify(each), each]));
  return [...seen.values()];
}
