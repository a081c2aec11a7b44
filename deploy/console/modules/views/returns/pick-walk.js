/** What to fetch from a warehouse in one walk, for all suppliers together. Pure. */
import { millionths } from "../../numbers.js";

/**
 * One row for each item and batch or serial number, in the order of the shelves as far as the codes tell it.
 *
 * @param {{proveedor: string, cardCode: string, rows: any[]}[]} suppliers what `pickListOf` gives
 * @returns {any[]} rows with the suppliers whom each is for
 */
export function walkOf(suppliers) {
  const rows = new Map();
  for (const { proveedor, cardCode, rows: own } of suppliers) {
    for (const row of own) {
      const known = rows.get(row.key) ?? { ...row, cantidad: 0, suppliers: [] };
      rows.set(row.key, { ...known, cantidad: (millionths(known.cantidad) + millionths(row.cantidad)) / 1e6, suppliers: [...known.suppliers, proveedor || cardCode] });
    }
  }
  const compare = (one, other) => one.localeCompare(other, "es", { numeric: true });
  return [...rows.values()].sort((one, other) => compare(one.itemCode, other.itemCode) || compare(one.lot, other.lot));
}
