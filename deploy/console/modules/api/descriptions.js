/** What the fields of a resource are called and are, as the gateway describes them. */
import { currencyOf } from "../currencies.js";
import { t } from "../texts.js";

const NAMES_SOMETHING = /(Num|Number|Entry|Code|Series|Type|ID|Line|Group)$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T00:00:00Z?)?$/;

/** The type of what nobody describes: numbers that name something are no amounts. */
export function guessType(value, name = "") {
  if (typeof value === "number") return NAMES_SOMETHING.test(name) ? "integer" : "number";
  return typeof value === "string" && DATE.test(value) ? "date" : "text";
}

/**
 * @typedef {{kind: "amount" | "quantity", by: string | null, adds: boolean}} Measure what numbers count; `by`: where the currency or unit is
 * @typedef {{name: string, title: string, type: string, choices: {value: string, title: string}[], lookup: {resource: string, filter: string | null, shows: string[]} | null, measure?: Measure | null}} Field
 * @typedef {{fields: Field[], has: (name: string) => boolean, isNamed: (name: string) => boolean, titleOf: (name: string) => string, fieldOf: (name: string, value?: unknown) => Field}} Fields
 */

const OWN = "U_"; // begins the names of fields that a company has added

/** @returns {Fields} what nobody describes is called as the ERP calls it; `isNamed`: whether people have a word for it */
function fieldsOf(described) {
  const titled = new Set(described.filter(({ title }) => title).map(({ name }) => name));
  const fields = described.map((each) => ({ lookup: null, ...each, title: each.title ?? each.name }));
  const known = new Map(fields.map((each) => [each.name, each]));
  return {
    fields,
    has: (name) => known.has(name),
    isNamed: (name) => titled.size === 0 || titled.has(name) || name.startsWith(OWN),
    titleOf: (name) => known.get(name)?.title ?? name,
    fieldOf: (name, value) => known.get(name) ?? { name, title: name, type: guessType(value, name), choices: [], lookup: null },
  };
}

/**
 * @typedef {Fields & {isComplete: boolean, collectionTitle: (name: string) => string, hasCollection: (name: string) => boolean, isCollectionNamed: (name: string) => boolean, of: (collection: string) => Fields, documents: {resource: string, number: number | null, partner: string | null}[]}} Description
 * @param {{complete: boolean, fields: object[], collections?: {name: string, title: string | null, fields: object[]}[], documents?: object[]}} described
 * @returns {Description}
 */
export function describedBy({ complete, fields, collections = [], documents = [] }) {
  const known = new Map(collections.map((each) => [each.name, { title: each.title ?? each.name, ...fieldsOf(each.fields) }]));
  const nothing = fieldsOf([]);
  const isOwn = (name) => known.get(name)?.fields.some((each) => each.name.startsWith(OWN));
  return {
    ...fieldsOf(fields),
    isCollectionNamed: (name) => !known.has(name) || known.get(name).title !== name || isOwn(name),
    isComplete: complete,
    hasCollection: (name) => known.has(name),
    collectionTitle: (name) => known.get(name)?.title ?? name,
    of: (name) => known.get(name) ?? nothing,
    documents: /** @type {any} */ (documents),
  };
}

const PLACE = /^(?:([A-Za-z]+)(?:\[\d*\])?\.)?([A-Za-z_0-9]+)$/;

/** What the field is called at which a refused value stands, such as `BPAddresses[1].AddressName`. */
export function titleAt(description, path) {
  const [, collection, name] = PLACE.exec(path) ?? [];
  const fields = description && collection ? description.of(collection) : description;
  return name && fields?.has(name) ? fields.titleOf(name) : null;
}

/**
 * Of which currency or unit the numbers of a field are, where they add up.
 *
 * @param {Measure | null | undefined} measure
 * @param {object} [around] the record whose rows they are
 * @returns {((row: object) => string) | undefined}
 */
export function addedBy(measure, around = {}) {
  if (!measure?.adds) return undefined;
  const { kind, by } = measure;
  if (kind === "amount") return (row) => currencyOf(measure, row, around) ?? (by === null ? t`moneda\u00a0local` : t`sin\u00a0moneda`);
  return (row) => row[by] || (by in row ? null : around[by]) || "";
}
