/** How values are written for people in Chile. */
const QUANTITY = new Intl.NumberFormat("es-CL", { maximumFractionDigits: 6 });
const DATE = /** @type {const} */ ({ day: "2-digit", month: "2-digit", year: "numeric" });
const TIME = /** @type {const} */ ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const MOMENT = new Intl.DateTimeFormat("es-CL", { ...DATE, ...TIME });
const EXACT_MOMENT = new Intl.DateTimeFormat("es-CL", { ...DATE, ...TIME, second: "2-digit" });
const DAY = new Intl.DateTimeFormat("es-CL", { ...DATE, timeZone: "UTC" });
const CLOCK = new Intl.DateTimeFormat("es-CL", { ...TIME, second: "2-digit" });

export const number = (value) => (value === null || value === undefined ? "" : QUANTITY.format(value));

/** A day, given as `2026-03-31` or as a time of the ERP, which has no zone. */
export function day(value) {
  if (!value) return "";
  const parsed = new Date(`${String(value).slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(parsed.valueOf()) ? String(value) : DAY.format(parsed);
}

export const moment = (value) => (value ? MOMENT.format(new Date(value)) : "");
export const clock = (value) => CLOCK.format(value);
export const exactMoment = (value) => (value ? EXACT_MOMENT.format(new Date(value)) : "");

export function money(value, currency) {
  if (value === null || value === undefined) return "";
  return `${QUANTITY.format(value)}${currency ? ` ${currency}` : ""}`;
}

export const plural = (count, one, many) => `${QUANTITY.format(count)} ${count === 1 ? one : many}`;
