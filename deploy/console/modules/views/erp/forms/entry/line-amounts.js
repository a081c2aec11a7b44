/** What a line of a document comes to while it is typed: at its own price, else at the one of the partner's list. Pure. */
import { readNewLines } from "../read-fields.js";

const PERCENT = 100;

/** @returns {{value: number, currency: string | null} | null} what an item costs in a price list */
export function listPriceOf(item, priceList) {
  const found = item?.ItemPrices?.find((each) => each.PriceList === priceList);
  return typeof found?.Price === "number" && found.Price > 0 ? { value: found.Price, currency: found.Currency ?? null } : null;
}

/**
 * A line as it is sent, with the list's price where none was typed; null where the line is blank.
 *
 * @param {Record<string, string>} line
 * @param {any[]} columns
 * @param {{value: number, currency: string | null} | null} listPrice
 */
export function pricedLine(line, columns, listPrice) {
  const [read] = readNewLines([line], {}, { columns });
  if (!read || typeof read.UnitPrice === "number" || !listPrice) return read ?? null;
  return { ...read, UnitPrice: listPrice.value, ...(listPrice.currency && { Currency: listPrice.currency }) };
}

/** @returns {{value: number, currency: string | null} | null} null where a part of it is still missing */
export function amountOf(priced) {
  if (typeof priced?.Quantity !== "number" || typeof priced.UnitPrice !== "number") return null;
  const discount = typeof priced.DiscountPercent === "number" ? priced.DiscountPercent : 0;
  return { value: priced.Quantity * priced.UnitPrice * (1 - discount / PERCENT), currency: priced.Currency ?? null };
}
