/** What a spreadsheet's cells mean when they are pasted into the lines of a document. Pure. */
import { plain } from "../../../../finding/spellings.js";
import { readDigits } from "../../../../numbers.js";

/** Words of headings, without accents, and the property that such a column fills. */
const WORDS = [
  ["ItemCode", /^(codigo|cod|articulo|item|sku|producto|itemcode)\b/],
  ["Quantity", /^(cantidad|cant|unidades|uds|qty|quantity)\b/],
  ["UnitPrice", /^(precio|p\. ?unit|valor unitario|price|unitprice)\b/],
  ["DiscountPercent", /^(descuento|dcto|desc\. ?%|% ?desc|% ?dcto|discount)/],
  ["WarehouseCode", /^(bodega|almacen|warehouse|whscode)\b/],
];
const CELL_BREAK = /\t/;

/** The cells of a pasted text; null where it is one value, which goes into its field as it is. */
export function cellsOf(text) {
  const lines = text.replace(/(\r\n|\r|\n)+$/, "").split(/\r\n|\r|\n/);
  if (lines.length === 1 && !CELL_BREAK.test(text)) return null;
  return lines.map((line) => line.split("\t").map((cell) => cell.trim().replace(/^"(.*)"$/s, "$1").replaceAll('""', '"'))).filter((cells) => cells.some(Boolean));
}

const isNumber = (text) => readDigits(text.replace(/^\$ ?|%$/g, "")).fault === undefined;

/** @returns {(string | null)[] | null} the property of each column, by the words of a heading; null where the row is none */
function byHeading(cells, names) {
  const found = cells.map((cell) => WORDS.find(([name, words]) => names.includes(name) && /** @type {RegExp} */ (words).test(plain(cell)))?.[0] ?? null);
  const known = found.filter(Boolean);
  const isHeading = known.includes("ItemCode") || (known.length > 1 && !cells.some(isNumber));
  return isHeading ? /** @type {any} */ (found.map((name, at) => (found.indexOf(name) === at ? name : null))) : null;
}

/** The properties from the one on where the text was pasted. A description between the code and the quantity belongs to none. */
function byPlace(rows, names, from) {
  const wanted = names.slice(names.indexOf(from));
  const second = rows.map((cells) => cells[1] ?? "").filter(Boolean);
  const hasDescription = from === "ItemCode" && rows[0].length > 2 && second.length > 0 && second.every((cell) => !isNumber(cell));
  return hasDescription ? [wanted[0], null, ...wanted.slice(1)] : wanted;
}

/**
 * The lines after a paste.
 *
 * @param {Record<string, string>[]} lines what was typed before
 * @param {string[][]} cells
 * @param {{at: number, name: string, names: string[]}} place line and property where it was pasted; `names`: the properties in their order
 * @returns {Record<string, string>[]}
 */
export function pastedInto(lines, cells, { at, name, names }) {
  const heading = byHeading(cells[0], names);
  const rows = heading ? cells.slice(1) : cells;
  if (!rows.length) return lines;
  const columns = heading ?? byPlace(rows, names, name);
  const after = [...lines];
  rows.forEach((row, index) => {
    const typed = columns.flatMap((column, place) => (column && row[place] !== undefined ? [[column, valueOf(column, row[place])]] : []));
    after[at + index] = { ...after[at + index], ...Object.fromEntries(typed) };
  });
  return after;
}

const valueOf = (name, text) => (["UnitPrice", "DiscountPercent"].includes(name) ? text.replace(/^\$ ?/, "").replace(/ ?%$/, "") : text);
