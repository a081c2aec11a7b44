/** Values of properties as texts in inputs, and back. Pure. */
import { numberText, readNumber } from "../../../numbers.js";
import { t } from "../../../texts.js";

/** The text in an input, of a value. */
export function asText(value, type) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" && (type === "number" || type === "integer")) return numberText(value);
  return type === "date" ? String(value).slice(0, 10) : String(value);
}

/** @returns {{value?: unknown, fault?: string}} the value of what was typed */
export function readText(text, type) {
  const trimmed = text.trim();
  if (trimmed === "") return { value: null };
  if (type !== "number" && type !== "integer") return { value: text };
  const read = readNumber(trimmed);
  return type === "integer" && !read.fault && !Number.isInteger(read.value) ? { fault: t`Escriba un número sin decimales.` } : read;
}
