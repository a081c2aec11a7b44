/** How values are written for people in Chile. */
import { placesOf } from "./currencies.js";
import { t } from "./texts.js";

const QUANTITY = new Intl.NumberFormat("es-CL", { maximumFractionDigits: 6 });
const DATE = /** @type {const} */ ({ day: "2-digit", month: "2-digit", year: "numeric" });
const TIME = /** @type {const} */ ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = new Intl.DateTimeFormat("es-CL", { ...DATE, timeZone: "UTC" });

/** @param {string | undefined} timeZone the browser's where there is none */
const formatsIn = (timeZone) => ({
  moment: new Intl.DateTimeFormat("es-CL", { ...DATE, ...TIME, timeZone }),
  exactMoment: new Intl.DateTimeFormat("es-CL", { ...DATE, ...TIME, second: "2-digit", timeZone }),
  clock: new Intl.DateTimeFormat("es-CL", { ...TIME, second: "2-digit", timeZone }),
  hour: new Intl.DateTimeFormat("es-CL", { ...TIME, timeZone }),
  today: new Intl.DateTimeFormat("sv-SE", { ...DATE, timeZone }), // 2026-03-31
});
let formats = formatsIn(undefined);

/** Write times as the company's clocks show them, which is what the services mean by a day. */
export function showTimesIn(timeZone) {
  if (!timeZone) return;
  try {
    formats = formatsIn(timeZone);
  } catch {
    // a zone that this browser doesn't know: its own is as good as any
  }
}

export const number = (value) => (value === null || value === undefined ? "" : QUANTITY.format(value));

/** A day, given as `2026-03-31` or as a time of the ERP, which has no zone. */
export function day(value) {
  if (!value) return "";
  const parsed = new Date(`${String(value).slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(parsed.valueOf()) ? String(value) : DAY.format(parsed);
}

export const moment = (value) => (value ? formats.moment.format(new Date(value)) : "");
export const clock = (value) => formats.clock.format(value);
/** The hour and minute of an instant. */
export const hourOf = (value) => (value ? formats.hour.format(new Date(value)) : "");
export const exactMoment = (value) => (value ? formats.exactMoment.format(new Date(value)) : "");
/** The company's day, as the services write one. */
export const today = (now = Date.now()) => formats.today.format(now);

const MOST_PLACES = 6;

/**
 * An amount with its currency's code, and as many decimals as the currency has.
 *
 * @param {number | null | undefined} value
 * @param {string | null} [currency]
 * @param {{isPrice?: boolean}} [options] a price may have more decimals than its currency
 */
export function money(value, currency, { isPrice = false } = {}) {
  if (value === null || value === undefined) return "";
  const places = currency ? placesOf(currency) : null;
  const limits = places === null ? {} : { minimumFractionDigits: places, maximumFractionDigits: isPrice ? Math.max(places, MOST_PLACES) : places };
  const digits = places === null ? QUANTITY.format(value) : new Intl.NumberFormat("es-CL", limits).format(value);
  return `${digits}${currency ? ` ${currency}` : ""}`;
}

/** Sums as `sumsBy` makes them; what the ERP doesn't have has no unit. */
export const sumTexts = (sums) => (sums.length ? sums.map(([unit, sum]) => `${number(sum)}\u00a0${unit || t`sin\u00a0unidad`}`) : ["0"]);
/** Sums of money, each with its currency. */
export const moneyTexts = (sums) => (sums.length ? sums.map(([currency, sum]) => money(sum, currency).replace(" ", "\u00a0")) : ["0"]);
export const plural = (count, one, many) => `${QUANTITY.format(count)} ${count === 1 ? one : many}`;

// The same rule as `servicekit.csv_cells`: both are tested with `formula_cases.json`.
const BREAKS = String.raw`\n\v\f\r\x1c-\x1e\x85\u2028\u2029`;
const SKIPPED = String.raw`["\x00-\x08\x0e-\x1b\x1f \x7f-\x84\x86-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]*`;
const SIGN = String.raw`(?=[=\uff1d\ufe66\u207c\u208c\u2a75\u2a76+\uff0b\ufe62\u207a\u208a\ufb29\-\uff0d\ufe63\u2212\u207b\u208b@\uff20\ufe6b])`;
const NUMBER = String.raw`[+\-]\d+(?:[.,]\d+)*${SKIPPED}`;
const FORMULA_IN_LINE = new RegExp(`((?:^|[${BREAKS}])${SKIPPED})(?!${NUMBER}$)${SIGN}`, "g");
const FORMULA_IN_FIELD = new RegExp(`(([,;|\\t])${SKIPPED})(?!${NUMBER}(?:$|\\2))${SIGN}`, "g");

/** Text in which no spreadsheet finds a formula, whichever separator it splits at; numbers stay numbers. */
export const neutralised = (text) => text.replace(FORMULA_IN_LINE, "$1'").replace(FORMULA_IN_FIELD, "$1'");

const cellText = (text) => {
  const plain = neutralised(text);
  return /[\t\n\r"]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

/**
 * Rows as text that a spreadsheet takes when it is pasted.
 *
 * @param {string[][]} rows texts; what begins like a formula is made a text
 */
export const tsv = (rows) => rows.map((cells) => cells.map((text) => cellText(text.trim())).join("\t")).join("\r\n");
