/** Lines of a new document that come from lines of another one. Pure. */
import { openLines } from "../copy-targets.js";
import { asText } from "./typed-values.js";

/** What links a line to the one that it comes from; not on the screen. */
export const BASES = ["BaseType", "BaseEntry", "BaseLine"].map((name) => ({ name, type: "integer" }));
const NO_BASE = Object.fromEntries(BASES.map(({ name }) => [name, ""]));
const DUE = "DocDueDate";

/**
 * What a document gives to one that is copied of it: its open lines, each linked to its own.
 *
 * @param {{texts: Record<string, string>, lines: Record<string, string>[]}} start what a copy without links would begin with, of `openLines`
 * @param {any} record the document that is copied
 * @param {number} type the ERP's number of its kind
 * @param {{today: string, needsDue: boolean}} options `needsDue`: the new one must say until when
 */
export function basedOn(start, record, type, { today, needsDue }) {
  const lines = openLines(record).filter(({ ItemCode }) => ItemCode);
  const due = asText(record[DUE], "date");
  return {
    texts: { ...start.texts, ...(needsDue && due >= today && { [DUE]: due }) },
    lines: start.lines.map((line, at) => (lines[at] ? { ...line, taken: JSON.stringify(line), BaseType: String(type), BaseEntry: String(record.DocEntry), BaseLine: String(lines[at].LineNum) } : line)),
  };
}

/**
 * Lines as they are sent: the ERP takes what was not changed from the line that each comes from. A line of another item
 * comes from none.
 */
export const withBases = (lines) => lines.map((line) => {
  if (!line.BaseEntry) return line;
  if (line.ItemCode !== line.takenItem) return { ...line, ...NO_BASE };
  const unchanged = Object.entries(JSON.parse(line.taken)).filter(([name, text]) => name !== "Quantity" && line[name] === text).map(([name]) => [name, ""]);
  return { ...line, ...Object.fromEntries(unchanged), takenItem: "" };
});
