/** A value of a record in words. */
import { day, number } from "../../formats.js";

/** Those that people have a word for come first, then those that only the ERP names. */
export function knownFirst(columns) {
  const isBare = ({ name, title }) => Number(name === title);
  return [...columns].sort((one, other) => isBare(one) - isBare(other) || one.title.localeCompare(other.title, "es"));
}

/**
 * @param {unknown} value
 * @param {{type: string, choices?: {value: string, title: string}[]}} field what is known of it
 */
export function write(value, { type, choices }) {
  if (value === null || value === undefined || value === "") return "";
  const choice = choices?.find((each) => each.value === value);
  if (choice) return choice.title;
  if (type === "date") return day(value);
  if (type === "number") return number(value);
  return String(value);
}
