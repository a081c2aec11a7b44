/** Conditions that people put together, and the `$filter` that they are. Pure. */
import { readDigits } from "../../numbers.js";

export const OPERATORS = {
  text: [["contains", "contiene"], ["startswith", "empieza con"], ["eq", "es"], ["ne", "no es"]],
  choice: [["eq", "es"], ["ne", "no es"]],
  number: [["eq", "="], ["ne", "≠"], ["ge", "≥"], ["le", "≤"]],
  integer: [["eq", "="], ["ne", "≠"], ["ge", "≥"], ["le", "≤"]],
  date: [["ge", "desde"], ["le", "hasta"], ["eq", "el día"]],
};
const isNumeric = ({ type }) => type === "number" || type === "integer";

/** @returns {string | null} what is wrong with a condition's value */
export function faultOf(column, value) {
  return value !== "" && isNumeric(column) ? (readDigits(value).fault ?? null) : null;
}

/**
 * @param {{name: string, operator: string, value: string}[]} conditions those without a value are left out
 * @returns {{filter: string, refused: {condition: object, fault: string}[]}} what is asked for, unless a condition says nothing that can be
 */
export function filterOf(conditions, columns) {
  const stated = conditions
    .filter(({ value }) => value !== "")
    .map((condition) => ({ condition, column: columns.find((column) => column.name === condition.name) }))
    .map(({ condition, column }) => ({ condition, column, fault: column ? faultOf(column, condition.value) : "No hay tal campo." }));
  const refused = stated.filter(({ fault }) => fault !== null);
  return { refused, filter: refused.length ? "" : stated.map(({ condition, column }) => clause(condition, column)).join(" and ") };
}

function clause({ name, operator, value }, column) {
  const literal = isNumeric(column) ? readDigits(value).digits : `'${value.replaceAll("'", "''")}'`;
  return operator === "contains" || operator === "startswith" ? `${operator}(${name},${literal})` : `${name} ${operator} ${literal}`;
}

export const inWords = ({ name, operator, value }, columns) => {
  const column = columns.find((each) => each.name === name);
  const word = OPERATORS[column?.type ?? "text"].find(([code]) => code === operator)?.[1] ?? operator;
  const shown = column?.choices?.find((choice) => choice.value === value)?.title ?? value;
  return `${column?.title ?? name} ${word} ${shown}`;
};
