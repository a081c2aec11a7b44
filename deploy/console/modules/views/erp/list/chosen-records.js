/** Records that are chosen in a list: as a filter, and as documents to print. */
import { literalOf } from "../../../finding/conditions.js";
import { write } from "../write-value.js";

/** The chosen rows alone. */
export function filterOfKeys(resource, rows) {
  const [column] = resource.key;
  return rows.map((row) => `${column.name} eq ${literalOf(column, String(row[column.name]))}`).join(" or ");
}

/** A document as a person chooses it from a list: by what the table shows first. */
export function documentOf(resource, shown, row) {
  const words = shown.slice(0, 4).map((column) => write(row[column.name], column)).filter(Boolean);
  return { docEntry: row[resource.key[0].name], label: words.join(" · ") };
}
