/** Where the cards of the first page lead: the list of what each counts. Pure. */
import { hrefTo } from "../../addresses.js";

const PART = /^(\w+) (eq|ne|lt|le|gt|ge) ('(?:[^']|'')*'|-?\d+(?:\.\d+)?)$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const dayBefore = (day) => new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

/** A condition as lists have it; null for what they can't say. */
function conditionOf(part) {
  const [, name, operator, literal] = PART.exec(part) ?? [];
  if (!name) return null;
  const value = literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : literal;
  if (!DAY.test(value)) return { name, operator, value };
  if (operator === "lt") return { name, operator: "le", value: dayBefore(value) }; // lists know days by "from" and "to" alone
  return ["eq", "ge", "le"].includes(operator) ? { name, operator, value } : null;
}

/** The conditions that a filter joins by `and`; null where a list can't show them. @param {string | null} filter */
export function conditionsOf(filter) {
  if (!filter) return [];
  const conditions = filter.split(/ and (?=\w+ (?:eq|ne|lt|le|gt|ge) )/).map(conditionOf);
  return conditions.includes(null) ? null : conditions;
}

/** The list that a card leads to; null for a card without one. @param {{resource: string | null, filter: string | null}} card */
export function hrefOfCard({ resource, filter }) {
  if (!resource) return null;
  const conditions = conditionsOf(filter);
  return hrefTo(["erp", resource], { filtro: conditions?.length ? JSON.stringify(conditions) : "" });
}
