/** What is known of currencies: the company's own, and how many decimals amounts have. */
import { createStore } from "./store.js";

/** @typedef {{local: string | null, decimals: Record<string, number>}} Currencies as the gateway tells them with the fields of a resource */

export const NO_CURRENCIES = Object.freeze({ local: null, decimals: {} });
export const currencies = createStore(/** @type {Currencies} */ (NO_CURRENCIES));

/** The code of the company's own currency; null as long as nobody has told it. */
export const localCurrency = () => currencies.get().local;

/** How many decimals amounts of a currency have; null where nobody knows it. */
export function placesOf(code) {
  const told = currencies.get().decimals;
  if (Object.hasOwn(told, code)) return told[code];
  if (!Intl.supportedValuesOf("currency").includes(code)) return null; // the company's own code
  return new Intl.NumberFormat("es-CL", { style: "currency", currency: code }).resolvedOptions().maximumFractionDigits ?? null;
}

/**
 * The currency of a row's amount.
 *
 * @param {{kind: string, by: string | null} | null | undefined} measure
 * @param {object} row
 * @param {object} [around] the record whose row it is
 * @returns {string | null | undefined} undefined where it is no amount; null where nobody has told the currency
 */
export function currencyOf(measure, row, around = {}) {
  if (measure?.kind !== "amount") return undefined;
  const { by } = measure;
  if (by === null) return localCurrency();
  return row[by] || (by in row ? null : around[by]) || null;
}
