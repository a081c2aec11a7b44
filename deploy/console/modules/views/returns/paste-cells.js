/** Cells of a pasted table, found as the service finds them, so that one can be corrected in the text. Pure. */

const WRAPPED = /"[^"\t]*(?:""[^"\t]*)*"(?=[\t\n]|$)/y;
const UNWANTED = /[\t\n\r"]+/g; // they would begin another cell

const unified = (text) => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");

/** Where a wrapped cell that begins at `begin` ends; null where the cell is literal text. */
function endOfWrapped(text, begin) {
  WRAPPED.lastIndex = begin;
  const [found] = WRAPPED.exec(text) ?? [];
  if (found === undefined) return null;
  const inside = found.slice(1, -1);
  return inside.includes("\n") || inside.includes('""') ? begin + found.length : null;
}

/**
 * @typedef {{from: number, to: number}} Span
 * @typedef {{text: string, rows: Span[][]}} Sheet a pasted text and where its cells are
 */

/** @param {string} pasted @returns {Sheet} */
export function readSheet(pasted) {
  const text = unified(pasted);
  const rows = [/** @type {Span[]} */ ([])];
  const end = /[\t\n]|$/g;
  for (let at = 0; ; ) {
    end.lastIndex = at;
    const to = endOfWrapped(text, at) ?? /** @type {RegExpExecArray} */ (end.exec(text)).index;
    rows[rows.length - 1].push({ from: at, to });
    if (to >= text.length) return { text, rows };
    if (text[to] === "\n") rows.push([]);
    at = to + 1;
  }
}

/** What stands in a cell; empty where the row has no such cell. @param {Sheet} sheet @param {number} row from 1 @param {number} column from 0 */
export function cellAt({ text, rows }, row, column) {
  const span = rows[row - 1]?.[column];
  const cell = span ? text.slice(span.from, span.to) : "";
  return cell && endOfWrapped(cell, 0) === cell.length ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/**
 * The text with other values in some cells; a row that is too short becomes longer, one that is not there stays away.
 *
 * @param {Sheet} sheet
 * @param {{row: number, column: number, value: string}[]} changes
 */
export function withCells({ text, rows }, changes) {
  const edits = changes.filter(({ row }) => rows[row - 1]).map(({ row, column, value }) => {
    const spans = rows[row - 1];
    const put = value.replace(UNWANTED, " ").trim();
    const end = spans[spans.length - 1].to;
    return spans[column] ? { ...spans[column], put } : { from: end, to: end, put: `${"\t".repeat(column - spans.length + 1)}${put}` };
  });
  return edits.sort((one, other) => other.from - one.from).reduce((now, { from, to, put }) => now.slice(0, from) + put + now.slice(to), text);
}
