/** Conditions that people put together, and the `$filter` that they are. Pure. */

export const OPERATORS = {
  text: [["contains", "contiene"], ["startswith", "empieza con"], ["eq", "es"], ["ne", "no es"]],
  choice: [["eq", "es"], ["ne", "no es"]],
  number: [["eq", "="], ["ne", "≠"], ["ge", "≥"], ["le", "≤"]],
  integer: [["eq", "="], ["ne", "≠"], ["ge", "≥"], ["le", "≤"]],
  date: [["ge", "desde"], ["le", "hasta"], ["eq", "el día"]],
};
const NUMBER = /^-?\d+([.,]\d+)?$/;

/** @returns {string | null} what is wrong with a condition's value */
export function faultOf(column, value) {
  if (value === "") return null;
  if ((column.type === "number" || column.type === "integer") && !NUMBER.test(value)) return "Escriba un número.";
  return null;
}

/** @param {{name: string, operator: string, value: string}[]} conditions those without a value are left out */
export function filterOf(conditions, columns) {
  return conditions
    .map((condition) => [condition, columns.find((column) => column.name === condition.name)])
    .filter(([{ value }, column]) => column && value !== "" && faultOf(column, value) === null)
    .map(([condition, column]) => clause(condition, column))
    .join(" and ");
}

function clause({ name, operator, value }, { type }) {
  const literal = type === "number" || type === "integer" ? value.replace(",", ".") : `'${value.replaceAll("'", "''")}'`;
  return operator === "contains" || operator === "startswith" ? `${operator}(${name},${literal})` : `${name} ${operator} ${literal}`;
}

export const inWords = ({ name, operator, value }, columns) => {
  const column = columns.find((each) => each.name === name);
  const word = OPERATORS[column?.type ?? "text"].find(([code]) => code === operator)?.[1] ?? operator;
  const shown = column?.choices?.find((choice) => choice.value === value)?.title ?? value;
  return `${column?.title ?? name} ${word} ${shown}`;
};
