/** Days and spans of days as people say them. Days are written `2026-03-31`. Pure. */
/* eslint console/words: off -- these words are also what addresses hold */
import { plain } from "./spellings.js";

/** Spans that are offered; `últimos` and `próximos` take any number of days. */
export const PERIODS = [
  "hoy", "ayer", "mañana", "esta semana", "semana pasada", "este mes", "mes pasado", "este año", "año pasado",
  "últimos 7 días", "últimos 30 días", "últimos 90 días", "próximos 7 días", "próximos 30 días",
];
const MONTHS = ["enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"];
const DAYS = /^(ultimos|proximos) (\d{1,4}) dias?$/;
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const YEAR = /^(?:19|20)\d\d$/;
const DAY_MS = 86_400_000;

const simple = (text) => plain(text.trim()).replace(/\s+/g, " ");
const named = (year, month, day) => new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
const moved = (day, by) => new Date(Date.parse(day) + by * DAY_MS).toISOString().slice(0, 10);

/**
 * @param {string} text such as `Este mes`, `ultimos 45 dias`, `marzo` or `marzo de 2026`
 * @param {string} today
 * @returns {string | null} the span as addresses have it: one of `PERIODS`, `2026-03` or `2026`
 */
export function readPeriod(text, today) {
  const words = simple(text);
  const known = PERIODS.find((each) => simple(each) === words);
  if (known) return known;
  const days = DAYS.exec(words);
  if (days && Number(days[2]) > 0) return `${days[1] === "ultimos" ? "últimos" : "próximos"} ${Number(days[2])} días`;
  if (YEAR.test(words) || MONTH.test(words)) return words;
  const [, name, year] = /^([a-z]+)(?: (?:de |del )?(\d{4}))?$/.exec(words) ?? [];
  const month = MONTHS.findIndex((each) => each === (name === "setiembre" ? "septiembre" : name));
  if (month < 0) return null;
  const thisYear = Number(today.slice(0, 4));
  const lately = month < Number(today.slice(5, 7)) ? thisYear : thisYear - 1; // the last one that has begun
  return `${year ?? lately}-${String(month + 1).padStart(2, "0")}`;
}

/** @returns {string} a span as people read it */
export function periodInWords(period) {
  const [, year, month] = MONTH.exec(period) ?? [];
  return year ? `${MONTHS[Number(month) - 1]} de ${year}` : period;
}

/**
 * @param {string} period as `readPeriod` gives it
 * @param {string} today
 * @returns {[string, string] | null} its first and its last day; null where it is none
 */
export function rangeOf(period, today) {
  const [year, month, day] = today.split("-").map(Number);
  const monday = moved(today, -((new Date(today).getUTCDay() + 6) % 7));
  const days = DAYS.exec(simple(period));
  if (days) return days[1] === "ultimos" ? [moved(today, 1 - Number(days[2])), today] : [today, moved(today, Number(days[2]) - 1)];
  const [, ofYear, ofMonth] = MONTH.exec(period) ?? [];
  if (ofYear) return [named(Number(ofYear), Number(ofMonth) - 1, 1), named(Number(ofYear), Number(ofMonth), 0)];
  if (YEAR.test(period)) return [`${period}-01-01`, `${period}-12-31`];
  /** @type {Record<string, [string, string]>} */
  const ranges = {
    hoy: [today, today],
    ayer: [moved(today, -1), moved(today, -1)],
    mañana: [moved(today, 1), moved(today, 1)],
    "esta semana": [monday, moved(monday, 6)],
    "semana pasada": [moved(monday, -7), moved(monday, -1)],
    "este mes": [named(year, month - 1, 1), named(year, month, 0)],
    "mes pasado": [named(year, month - 2, 1), named(year, month - 1, 0)],
    "este año": [`${year}-01-01`, `${year}-12-31`],
    "año pasado": [`${year - 1}-01-01`, `${year - 1}-12-31`],
  };
  return (day && ranges[period]) || null;
}

/** @returns {string | null} a day that was typed as `15-03-2026`, `15/3/26`, `15/3` of this year, or as addresses have it */
export function readDay(text, today) {
  const typed = text.trim();
  const [, early, mid, late] = /^(\d{1,4})[-/.](\d{1,2})(?:[-/.](\d{1,4}))?$/.exec(typed) ?? [];
  if (!early) return null;
  const isIso = early.length === 4;
  if (isIso ? !late || late.length > 2 : early.length > 2 || (late && late.length !== 2 && late.length !== 4)) return null;
  const [year, month, day] = isIso ? [early, mid, late] : [late ?? today.slice(0, 4), mid, early];
  const full = year.length === 2 ? `20${year}` : year;
  const wanted = [full, month.padStart(2, "0"), day.padStart(2, "0")].join("-");
  return named(Number(full), Number(month) - 1, Number(day)) === wanted ? wanted : null;
}
