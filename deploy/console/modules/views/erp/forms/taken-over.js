/** What a copied document gives to a new one. Pure. */
import { asText } from "./typed-values.js";

export const CURRENCY = "DocCurrency"; // prices that are taken over are in it
export const UNIT = { name: "UoMEntry", type: "integer" }; // of a line; not on the screen, where it is a number without a name
export const DISCOUNT = "DiscountPercent";
const TAKEN_OVER = ["CardCode", "Comments", CURRENCY, DISCOUNT];

/** @type {{texts: Record<string, string>, lines: Record<string, string>[]}} */
export const NOTHING = { texts: {}, lines: [{}] };

/** The lines of a document that name an item: those that a new one can have, too. */
export const itemsOf = (record) => (record?.DocumentLines ?? []).filter((line) => line.ItemCode);

/** What another document gives to a new one: for whom, in which currency, its items with quantities, prices, units and places. */
export function takenOver(record, columns, lineColumns, { unitOf }) {
  const textsOf = (from, fields) => Object.fromEntries(fields.map(({ name, type }) => [name, asText(from[name], type)]));
  const lines = itemsOf(record).map((line) => ({ ...textsOf(line, lineColumns), [UNIT.name]: asText(unitOf(line), UNIT.type), takenItem: line.ItemCode }));
  return { texts: textsOf(record, columns.filter(({ name }) => TAKEN_OVER.includes(name))), lines: lines.length ? lines : NOTHING.lines };
}
