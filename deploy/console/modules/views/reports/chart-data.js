/** What a chart of a query's rows draws. Pure. */
import { sumsBy } from "../../numbers.js";
import { t } from "../../texts.js";

const MOST_SERIES = 7; // and one for the others
const MOST_BARS = 40;

/**
 * @typedef {{x: string, y: string, series: string | null, kind: "bars" | "line"}} Chart as the query declares it
 * @typedef {{name: string, values: (number | null)[]}} Series
 * @typedef {{categories: string[], series: Series[], left: number, fault?: undefined}} Drawing `left`: categories that have no room
 */

const nameOf = (value) => (value === null || value === undefined || value === "" ? t`sin dato` : String(value));
const sumOf = (rows, y) => sumsBy(rows, () => "", (row) => row[y])[0]?.[1] ?? null;

/** Rows by a value of theirs, in the order in which the values come. */
function groupedBy(rows, column) {
  const groups = new Map();
  for (const row of rows) groups.set(nameOf(row[column]), [...(groups.get(nameOf(row[column])) ?? []), row]);
  return groups;
}

/**
 * @param {any[]} rows
 * @param {Chart} chart
 * @param {{by: string | null} | null} [measure] of its numbers: different currencies are not drawn together
 * @returns {Drawing | {fault: string}}
 */
export function drawingOf(rows, { x, y, series, kind }, measure = null) {
  const units = measure?.by ? new Set(rows.map((row) => row[measure.by])) : new Set([""]);
  if (units.size > 1) return { fault: t`Las filas tienen monedas o unidades distintas: no se dibujan juntas.` };
  if (!rows.some((row) => typeof row[y] === "number")) return { fault: t`No hay números que dibujar.` };
  const byCategory = groupedBy(rows, x);
  const all = [...byCategory.keys()];
  const categories = kind === "bars" ? largest(all, (name) => sumOf(byCategory.get(name), y), MOST_BARS) : all;
  const bySeries = series ? groupedBy(rows, series) : new Map([["", rows]]);
  const named = largest([...bySeries.keys()], (name) => sumOf(bySeries.get(name), y), bySeries.size > MOST_SERIES + 1 ? MOST_SERIES : MOST_SERIES + 1);
  const rest = [...bySeries.keys()].filter((name) => !named.includes(name));
  const lineOf = (name, ofIt) => {
    const groups = groupedBy(ofIt, x);
    return { name, values: categories.map((category) => sumOf(groups.get(category) ?? [], y)) };
  };
  const drawn = named.map((name) => lineOf(name, bySeries.get(name)));
  if (rest.length) drawn.push(lineOf(t`Otros (${rest.length})`, rest.flatMap((name) => bySeries.get(name))));
  return { categories, series: drawn, left: all.length - categories.length };
}

/** The names with the largest sums, in the order in which they come. */
function largest(names, sumFor, most) {
  if (names.length <= most) return names;
  const sums = new Map(names.map((name) => [name, Math.abs(sumFor(name) ?? 0)]));
  const kept = new Set([...names].sort((one, other) => sums.get(other) - sums.get(one)).slice(0, most));
  return names.filter((name) => kept.has(name));
}
