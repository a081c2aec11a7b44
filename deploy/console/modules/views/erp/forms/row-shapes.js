/** The collections whose rows can be changed one by one: what names a row, and what is sent of it. Pure. */
import { write } from "../write-value.js";
import { t } from "../../../texts.js";

/**
 * `number` tells rows apart here; `key` is all that a row carries to be a known one, whichever build the ERP is: half
 * a key is another row to some, and an error to others.
 */
const LINES = {
  another: t`Otra línea`, called: t`Línea nueva`, caption: t`Líneas que se pueden cambiar`, number: "LineNum", key: ["LineNum"], named: "ItemCode", said: "ItemDescription", type: "number",
  fields: ["Quantity", "UnitPrice"], placeOf: (row) => t`, línea ${row.LineNum + 1}`, needed: [],
  fresh: ["ItemCode", "Quantity", "UnitPrice", "WarehouseCode"],
};
const PARTNERS = {
  BPAddresses: {
    another: t`Otra dirección`, called: t`Dirección nueva`, caption: t`Direcciones que se pueden cambiar`, number: "RowNum", key: ["BPCode", "AddressName", "AddressType", "RowNum"], named: "AddressName", type: "text",
    fields: ["Street", "City"], placeOf: (row, described) => ` (${write(row.AddressType, described.fieldOf("AddressType"))})`, needed: ["AddressName", "AddressType"],
    fresh: ["AddressName", "AddressType", "Street", "City"],
  },
  ContactEmployees: {
    another: t`Otro contacto`, called: t`Contacto nuevo`, caption: t`Contactos que se pueden cambiar`, number: "InternalCode", key: ["CardCode", "InternalCode", "Name"], named: "Name", type: "text",
    fields: ["Phone1", "E_Mail"], placeOf: () => "", needed: ["Name"],
    fresh: ["Name", "Phone1", "E_Mail"],
  },
};

/** A shape with its `name`, and the titles and kinds that its fields have there. */
function shaped(shape, name, described) {
  const { titleOf, fieldOf } = described.of(name);
  return { ...shape, name, title: described.collectionTitle(name), titleOf, fresh: shape.fresh.map((each) => fieldOf(each)), placeOf: (row) => shape.placeOf(row, described.of(name)) };
}

/** The lines of a document that is to be made. */
export const linesOf = (described) => shaped(LINES, "DocumentLines", described);

const MANUAL_UNIT = -1; // the item's own

/**
 * What the prices and quantities of a document's lines mean, where the ERP would assume something else of new lines.
 *
 * @returns {{shown: string[], unitOf: (line: any) => number | null}} `shown`: fields that some line needs besides; `unitOf`: a line's unit, which means nothing for another item
 */
export function meaningOf({ DocCurrency }, lines) {
  const isSpecial = { DiscountPercent: (value) => Boolean(value), Currency: (value) => Boolean(value) && value !== DocCurrency };
  return {
    shown: Object.keys(isSpecial).filter((name) => lines.some((line) => isSpecial[name](line[name]))),
    unitOf: ({ UoMEntry }) => (typeof UoMEntry === "number" && UoMEntry !== MANUAL_UNIT ? UoMEntry : null),
  };
}

/** Lines to send, as texts: the unit that was taken over goes with its item alone. */
export const withUnits = (lines) => lines.map((line) => (line.ItemCode === line.takenItem ? line : { ...line, UoMEntry: "" }));

/** Whether two forms hold the same texts; empty ones are none. */
export function sameTexts(one, other) {
  const filled = ({ texts, lines }) => JSON.stringify([texts, ...lines].map((each) => Object.entries(each).filter(([, text]) => text.trim() !== "").sort()).filter((each, at) => at === 0 || each.length > 0));
  return filled(one) === filled(other);
}

/** The shapes of a record's collections: a document's lines, or what a partner has. */
export function shapesOf(record, described) {
  const lists = Object.keys(record).filter((name) => Array.isArray(record[name]));
  const lines = lists.find((name) => record[name][0]?.LineNum !== undefined && "ItemCode" in record[name][0]);
  if (lines) return [shaped(LINES, lines, described)];
  return lists.filter((name) => name in PARTNERS).map((name) => shaped(PARTNERS[name], name, described));
}

/** All rows that there would be, with what was changed and added. */
export function linesAfter({ shape, before, done }) {
  const staying = before.filter((row) => !done.removed.has(row[shape.number]));
  return [...staying.map((row) => ({ ...row, ...done.changes[row[shape.number]] })), ...done.fresh];
}

const keyOf = (shape, row) => Object.fromEntries(shape.key.map((name) => [name, row[name]]));

/**
 * The rows of one collection to send over `before`: known ones by their whole key. A row without its key may overwrite
 * the one at its place, so new rows go behind all rows that stay.
 *
 * @param {{changes: Record<number, object>, removed: Set<number>, fresh: object[]}} done by the rows' numbers
 * @param {boolean} replaces whether rows that are not sent are deleted, in whichever collection that is needed
 */
export function rowsToSend(shape, before, done, replaces) {
  const { changes, removed, fresh } = done;
  const staying = before.filter((row) => !removed.has(row[shape.number]));
  const changesOf = (row) => changes[row[shape.number]] ?? {};
  const isChanged = (row) => Object.keys(changesOf(row)).length > 0;
  const isResized = fresh.length > 0 || staying.length < before.length;
  if (!isResized && !staying.some(isChanged)) return [];
  const known = isResized || replaces ? staying : staying.filter(isChanged);
  return [...known.map((row) => ({ ...keyOf(shape, row), ...changesOf(row) })), ...fresh];
}
