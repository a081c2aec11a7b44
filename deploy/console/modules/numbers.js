/** Numbers as people in Chile write them: a comma before the decimals, dots between thousands. Pure. */
import { t } from "./texts.js";

const BARE = /^-?\d+([.,]\d+)?$/;
const GROUPED = /^-?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/; // as numbers are shown here, so that each of them reads back
const EITHER = /^-?[1-9]\d{3,}\.\d{3}$/; // neither shown so here nor surely decimals: thousands whose first dot was left out
const PLAIN = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 20 });
const NO_NUMBER = { fault: t`Escriba un número.` };

/** A number with all its digits, as requests write it. */
const plain = (value) => PLAIN.format(value);
const bare = (digits) => digits.replace(/^(-?)0+(?=\d)/, "$1").replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace(/^-0$/, "0");

/** A number in an input, so that it reads back as the same one; given as one or as the services write it. */
export const numberText = (value) => (typeof value === "number" ? plain(value) : String(value)).replace(".", ",");

/** @returns {{digits?: string, fault?: string}} what was typed, with a dot before its decimals */
export function readDigits(text) {
  const typed = String(text).trim();
  if (EITHER.test(typed)) return { fault: t`Escriba ${readingsOf(typed).join(t` o `)}.` };
  if (GROUPED.test(typed)) return { digits: typed.replaceAll(".", "").replace(",", ".") };
  return BARE.test(typed) ? { digits: typed.replace(",", ".") } : NO_NUMBER;
}

/** What a number may mean, as it is typed without a doubt: one reading, two, or none. */
export function readingsOf(text) {
  const typed = String(text).trim();
  if (EITHER.test(typed)) return [typed.replace(".", ""), bare(typed).replace(".", ",")];
  return readDigits(typed).fault === undefined ? [typed] : [];
}

/** @returns {{value?: number, fault?: string}} what was typed, unless the browser would have to round it */
export function readNumber(text) {
  const { digits, fault } = readDigits(text);
  if (fault) return { fault };
  const value = Number(digits) + 0; // no -0
  return plain(value) === bare(digits) ? { value } : { fault: t`Escriba un número con menos cifras.` };
}

const MILLIONTHS = 6; // digits

/** A quantity as a whole number, which can be added and taken away without a rest. */
export const millionths = (quantity) => Math.round(quantity * 10 ** MILLIONTHS);

/** By the digits that are shown: what a large number has behind them was never meant. */
function exactly(value) {
  const [whole, rest = ""] = plain(value).split(".");
  return BigInt(whole + rest.slice(0, MILLIONTHS).padEnd(MILLIONTHS, "0"));
}

function fromMillionths(sum) {
  const digits = String(sum < 0n ? -sum : sum).padStart(MILLIONTHS + 1, "0");
  return Number(`${sum < 0n ? "-" : ""}${digits.slice(0, -MILLIONTHS)}.${digits.slice(-MILLIONTHS)}`);
}

/**
 * Sums of what is counted alike, each by itself.
 *
 * @param {any[]} rows
 * @param {(row: any) => string | null} unitOf null where a row doesn't count
 * @param {(row: any) => unknown} valueOf what is no number doesn't count
 * @returns {[string, number][]}
 */
export function sumsBy(rows, unitOf, valueOf) {
  const sums = new Map();
  for (const row of rows) {
    const [unit, value] = [unitOf(row), valueOf(row)];
    if (unit !== null && typeof value === "number") sums.set(unit, (sums.get(unit) ?? 0n) + exactly(value));
  }
  return [...sums].map(([unit, sum]) => [unit, fromMillionths(sum)]);
}
