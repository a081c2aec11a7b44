/** The fields of a new document: its head, what stands behind it, and its lines. Pure. */
import { linesOf, meaningOf } from "../row-shapes.js";
import { CURRENCY, DISCOUNT, itemsOf, NOTHING, takenOver } from "../taken-over.js";

export const LINES = "DocumentLines";
const HEAD = ["CardCode", "DocDate", "DocDueDate", "NumAtCard"];
const BEHIND = ["PaymentGroupCode", "ShipToCode", "SalesPersonCode", "Comments"];
const GRID = ["ItemCode", "Quantity", "UnitPrice", "DiscountPercent", "WarehouseCode"];

/**
 * @param {import("../../../../api/descriptions.js").Description} described
 * @param {any} record that the new one is a copy of; null where it is none
 */
export function documentFields(described, record) {
  const fields = (names) => names.filter((name) => described.has(name)).map((name) => described.fieldOf(name, record?.[name]));
  const taken = [CURRENCY, DISCOUNT].filter((name) => record?.[name]);
  const head = [...fields(HEAD), ...taken.map((name) => described.fieldOf(name, record[name]))];
  const behind = fields(BEHIND);
  const shape = linesOf(described);
  const meaning = meaningOf(record ?? {}, itemsOf(record));
  const inLines = described.of(shape.name);
  const names = [...GRID.filter((name) => inLines.has(name)), ...meaning.shown.filter((name) => !GRID.includes(name))];
  const lineColumns = names.map((name) => inLines.fieldOf(name, itemsOf(record).find((line) => line[name])?.[name]));
  const columns = [...head, ...behind];
  return { head, behind, columns, title: shape.title, lineColumns, start: record ? takenOver(record, columns, lineColumns, meaning) : NOTHING };
}
