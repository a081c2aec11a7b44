/** Inputs for one property of a record, by its type; with suggestions where its value is the key of another record. */
import { SelectField, TextArea, TextField } from "../../../components/fields.js";
import { ValueHelp } from "../../../components/value-help.js";
import { listRecords, readOffer } from "../../../api/records.js";
import { filterOf } from "../../../finding/conditions.js";
import { money, number } from "../../../formats.js";
import { html, useEffect, useRef, useState } from "../../../html.js";
import { numberText, readNumber } from "../../../numbers.js";
import { t } from "../../../texts.js";

const SUGGEST_AFTER_MS = 250;
const LEAST_LETTERS = 2;
const MOST_SUGGESTIONS = 50;
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
  return type === "integer" && !read.fault && !Number.isInteger(read.value) ? { fault: t`Escriba un número sin decimales.` } : read;
}

/**
 * @param {object} props
 * @param {{name: string, title: string, type: string, choices?: object[], lookup?: object | null}} props.column
 * @param {string} props.value
 * @param {(text: string) => void} props.onInput
 * @param {string | null} [props.fault]
 * @param {number} [props.priceList] whose prices help to choose an item
 * @param {(record: any) => void} [props.onFound] told of the record whose key was chosen
 */
export function TypedField({ column, value, onInput, fault, priceList, onFound, ...field }) {
  const [lineBreak] = useState(() => value.match(BREAK)?.[0]); // an input of one line would take them out of the text
  if (column.choices?.length) {
    return html`<${SelectField} label=${column.title} value=${value} onInput=${onInput} fault=${fault} empty="–" options=${column.choices.map((each) => ({ value: each.value, label: each.title }))} ...${field} />`;
  }
  if (lineBreak) {
    return html`<${TextArea} label=${column.title} value=${value.replace(BREAK, "\n")} onInput=${(text) => onInput(text.replaceAll("\n", lineBreak))} fault=${fault} inputProps=${{ rows: 3 }} ...${field} />`;
  }
  if (column.lookup) return html`<${SuggestingField} column=${column} value=${value} onInput=${onInput} fault=${fault} priceList=${priceList} onFound=${onFound} ...${field} />`;
  return html`<${TextField} label=${column.title} type=${column.type === "date" ? "date" : "text"} value=${value} onInput=${onInput} fault=${fault}
    inputProps=${["integer", "number"].includes(column.type) ? { inputmode: "decimal" } : {}} ...${field} />`;
}

function SuggestingField({ column, value, onInput, fault, priceList, onFound, ...field }) {
  const [suggestions, setSuggestions] = useState([]);
  const isTyped = useRef(false); // what was there before needs no help
  const chosen = suggestions.find((each) => each.key === value);
  useEffect(() => {
    if (chosen) onFound?.(chosen.record);
    if (!isTyped.current || value.length < LEAST_LETTERS || chosen) return undefined;
    let isWanted = true;
    const timer = setTimeout(() => suggest(column.lookup, value).then((found) => isWanted && setSuggestions(found), () => {}), SUGGEST_AFTER_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [value, chosen]);
  const type = (text) => {
    isTyped.current = true;
    onInput(text);
  };
  const helpOf = ({ record }) => help(record, column.lookup.shows, priceList);
  const options = suggestions.map((each) => ({ value: each.key, label: helpOf(each) }));
  return html`<${ValueHelp} label=${column.title} value=${value} onInput=${type} fault=${fault} hint=${chosen && helpOf(chosen)} options=${options} ...${field} />`;
}

/** What helps to choose a record: its name, and of an item its price in this list and its stock. */
function help(record, [label], priceList) {
  const price = record.ItemPrices?.find((each) => each.PriceList === priceList);
  const stock = record.QuantityOnStock;
  return [record[label], price?.Price && money(price.Price, price.Currency, { isPrice: true }), typeof stock === "number" && t`${number(stock)} ${record.InventoryUOM ?? ""} en existencia`].filter(Boolean).join(" · ");
}

/** Records whose code or name holds the text, of those that may be chosen. */
async function suggest({ resource, filter, shows }, text) {
  const { items } = await readOffer();
  const target = items.find((each) => each.name === resource && each.key.length === 1 && each.methods.includes("GET"));
  if (!target) return [];
  const [{ name, type }] = target.key;
  const searched = [{ name, type, title: "", search: "code" }, { name: shows[0], type: "text", title: "", search: "name" }];
  const { filter: found } = filterOf([{ text }], [], { searched });
  if (!found) return [];
  const { value } = await listRecords(resource, { select: [name, ...shows].join(","), filter: filter ? `(${found}) and ${filter}` : found, top: MOST_SUGGESTIONS });
  return value.map((record) => ({ key: String(record[name]), record }));
}
