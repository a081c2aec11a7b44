/** What a list asks the gateway for. Pure. */
import { encodedLength, filterOf, LIMITS } from "../../../finding/conditions.js";
import { ownAmountOf } from "../amounts.js";

export const PAGE = 50;
const OTHER_OPTIONS_BYTES = 200; // of the request, beside columns, order and filter

/** Documents come with the newest first unless they are sorted: the one just made is on the first page. */
const newestFirst = ({ key }) => (key.length === 1 && key[0].name === "DocEntry" ? "DocEntry desc" : "");

/** The properties that amounts among the shown columns need beside them: the same amount in the document's currency, and its code. */
function besideAmounts(resource, shown) {
  const has = (name) => resource.columns.some((column) => column.name === name);
  const own = shown.filter(({ measure }) => measure?.kind === "amount").map(({ name }) => ownAmountOf(name)).filter(has);
  return own.length && has("DocCurrency") ? [...own, "DocCurrency"] : [];
}

/**
 * @param {any} resource
 * @param {{shown: any[], columns: any[], conditions: any[], searched: any[], by: string, way?: string}} view
 * @param {Date | any} today
 */
export function listRequest(resource, { shown, columns, conditions, searched, by, way }, today) {
  const names = shown.map((column) => column.name);
  const counted = shown.map(({ measure }) => measure?.by).filter(Boolean);
  const select = [...new Set([...resource.key.map((part) => part.name), ...names, ...counted, ...besideAmounts(resource, shown)])].join(",");
  const sorted = by && `${by} ${way === "desc" ? "desc" : "asc"}`;
  const room = LIMITS.encoded - encodedLength(select + sorted) - OTHER_OPTIONS_BYTES;
  const orderby = sorted || newestFirst(resource);
  return { select, orderby, file: { select: names.join(","), orderby }, ...filterOf(conditions, columns, { searched, today, room }) };
}
