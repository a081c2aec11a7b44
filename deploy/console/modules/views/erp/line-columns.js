/** Which properties of a collection get a column. */
export const isScalar = (value) => value === null || typeof value !== "object";

const LINE_FIELDS = [
  "LineNum", "ItemCode", "ItemDescription", "Quantity", "RemainingOpenQuantity", "MeasureUnit", "UnitPrice", "DiscountPercent", "LineTotal",
  "WarehouseCode", "LineStatus", "AccountCode", "Debit", "Credit", "InStock", "Committed", "Ordered",
];

const MOST_COLUMNS = 11;
const LEAST_COLUMNS = 4;

/**
 * The properties of a collection that are worth columns: the ones that people know, else the first that say anything.
 *
 * @param {any[]} lines
 * @param {{isNamed: (name: string) => boolean}} fields what is known of them
 */
export function columnsOfLines(lines, { isNamed }) {
  const says = (name) => lines.some((line) => isScalar(line[name]) && line[name] !== null && line[name] !== undefined && line[name] !== "");
  const known = LINE_FIELDS.filter(says);
  if (known.length >= LEAST_COLUMNS) return known.slice(0, MOST_COLUMNS);
  const others = Object.keys(lines[0] ?? {}).filter((name) => !known.includes(name) && isNamed(name) && says(name));
  return [...known, ...others].slice(0, MOST_COLUMNS);
}
