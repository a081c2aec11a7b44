/** At which field a refused document is wrong: the ERP names the field at best, and often only says that something was not found. */
import { listRecords, readOffer } from "../../../api/records.js";
import { literalOf } from "../../../finding/conditions.js";
import { t } from "../../../texts.js";
import { placeOf } from "./typed-places.js";

const MOST_CODES = 40; // in one filter

/** What was typed as keys of the same resource, once each. @param {import("./typed-places.js").Typed[]} typed */
function codesByResource(typed) {
  /** @type {Map<string, Set<string>>} */
  const codes = new Map();
  for (const { lookup, text } of typed) {
    if (lookup && text.trim()) codes.set(lookup.resource, (codes.get(lookup.resource) ?? new Set()).add(text.trim()));
  }
  return codes;
}

/** The codes of these that no record has. */
async function missingOf(resource, codes) {
  const { items } = await readOffer();
  const target = items.find((each) => each.name === resource && each.key.length === 1 && each.methods.includes("GET"));
  if (!target || codes.length > MOST_CODES) return [];
  const [key] = target.key;
  const filter = codes.map((code) => `${key.name} eq ${literalOf(key, code)}`).join(" or ");
  const { value } = await listRecords(resource, { select: key.name, filter, top: MOST_CODES });
  const found = new Set(value.map((record) => String(record[key.name]).toLowerCase()));
  return codes.filter((code) => !found.has(code.toLowerCase()));
}

/**
 * Faults by path of what a refused write names and nobody has; one read for each kind of record, and none unless the ERP refused.
 *
 * @param {import("../../../api/problem.js").Problem} problem
 * @param {import("./typed-places.js").Typed[]} typed
 * @returns {Promise<Record<string, string>>}
 */
export async function faultsOfRefusal(problem, typed) {
  if (!problem.upstream) return /** @type {Record<string, string>} */ ({});
  /** @type {Record<string, string>} */
  const faults = {};
  const named = placeOf(problem.upstream.message ?? "", typed);
  if (named) faults[named] = t`El ERP no acepta este dato.`;
  const missing = new Map(await Promise.all([...codesByResource(typed)].map(async ([resource, codes]) => /** @type {[string, string[]]} */ ([resource, await missingOf(resource, [...codes]).catch(() => [])]))));
  for (const { path, lookup, text } of typed) {
    if (lookup && missing.get(lookup.resource)?.includes(text.trim())) faults[path] = t`«${text.trim()}» no existe.`;
  }
  return faults;
}
