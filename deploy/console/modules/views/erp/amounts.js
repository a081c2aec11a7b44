/** Amounts with their currencies. */
import { currencyOf } from "../../currencies.js";
import { money } from "../../formats.js";
import { write } from "./write-value.js";

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
