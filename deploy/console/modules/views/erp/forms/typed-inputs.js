/** Inputs for one property of a record, by its type; a text with suggestions where it names another record. */
import { SelectField, TextArea, TextField } from "../../../components/fields.js";
import { listRecords, readOffer } from "../../../api/records.js";
import { html, useEffect, useId, useState } from "../../../html.js";
import { numberText, readNumber } from "../../../numbers.js";

const SUGGEST_AFTER_MS = 250;
const LEAST_LETTERS = 2;
const MOST_SUGGESTIONS = 12;
const BREAK = /\r\n|\r|\n/g;

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
  return type === "integer" && !read.fault && !Number.isInteger(read.value) ? { fault: "Escriba un número sin decimales." } : read;
}

/** @param {{column: {name: string, title: string, type: string, choices?: object[]}, [name: string]: any}} props */
export function TypedField({ column, value, onInput, fault, ...field }) {
  const [lineBreak] = useState(() => value.match(BREAK)?.[0]); // an input of one line would take them out of the text
  if (column.choices?.length) {
    return html`<${SelectField} label=${column.title} value=${value} onInput=${onInput} fault=${fault} empty="–" options=${column.choices.map((each) => ({ value: each.value, label: each.title }))} ...${field} />`;
  }
  if (lineBreak) {
    return html`<${TextArea} label=${column.title} value=${value.replace(BREAK, "\n")} onInput=${(text) => onInput(text.replaceAll("\n", lineBreak))} fault=${fault} inputProps=${{ rows: 3 }} ...${field} />`;
  }
  if (column.type === "text") return html`<${SuggestingField} column=${column} value=${value} onInput=${onInput} fault=${fault} ...${field} />`;
  return html`<${TextField} label=${column.title} type=${column.type === "date" ? "date" : "text"} value=${value} onInput=${onInput} fault=${fault}
    inputProps=${column.type === "date" ? {} : { inputmode: "decimal" }} ...${field} />`;
}

function SuggestingField({ column, value, onInput, fault, ...field }) {
  const listId = useId();
  const [suggestions, setSuggestions] = useState([]);
  useEffect(() => {
    if (value.length < LEAST_LETTERS || suggestions.some((each) => each.key === value)) return undefined;
    let isWanted = true;
    const timer = setTimeout(() => suggest(column.name, value).then((found) => isWanted && setSuggestions(found), () => {}), SUGGEST_AFTER_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [value]);
  const chosen = suggestions.find((each) => each.key === value);
  return html`<${TextField} label=${column.title} value=${value} onInput=${onInput} fault=${fault} hint=${chosen?.name} inputProps=${{ list: listId, autocomplete: "off" }} ...${field} />
    <datalist id=${listId}>${suggestions.map((each) => html`<option value=${each.key}>${each.name}</option>`)}</datalist>`;
}

/** Records of the one resource that is keyed by a property of this name. */
async function suggest(name, text) {
  const { items } = await readOffer();
  const targets = items.filter((each) => each.key.length === 1 && each.key[0].name === name && each.key[0].type === "text" && each.methods.includes("GET"));
  if (targets.length !== 1) return [];
  const label = targets[0].columns.find((column) => column.type === "text" && column.name !== name)?.name;
  const literal = `'${text.replaceAll("'", "''")}'`;
  const filter = [`contains(${name},${literal})`, label && `contains(${label},${literal})`].filter(Boolean).join(" or ");
  const { value } = await listRecords(targets[0].name, { select: [name, label].filter(Boolean).join(","), filter, top: MOST_SUGGESTIONS });
  return value.map((record) => ({ key: record[name], name: label ? record[label] : "" }));
}
