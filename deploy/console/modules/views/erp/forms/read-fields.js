/** The values of what was typed in the fields of a record and its new rows. Pure. */
import { t } from "../../../texts.js";
import { readText } from "./typed-values.js";

/** The values of what was typed; a fault goes into `faults` under its name. */
export function readFields(columns, texts, prefix, faults) {
  const body = {};
  for (const column of columns) {
    const { value, fault } = readText(texts[column.name] ?? "", column.type);
    if (fault) faults[`${prefix}${column.name}`] = fault;
    else if (value !== null) body[column.name] = value;
  }
  return body;
}

/** The lines as they are sent; those without anything in them are none. */
export function readNewLines(lines, faults, { columns, needed = [], prefix = "new." }) {
  return lines.flatMap((line, at) => {
    const read = readFields(columns, line, `${prefix}${at}.`, faults);
    if (Object.keys(read).length === 0) return [];
    for (const name of needed) if (!(name in read)) faults[`${prefix}${at}.${name}`] ??= t`Falta.`;
    return [read];
  });
}
