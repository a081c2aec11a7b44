/** Inputs for one property of a record, by its type; with value help where its value is the key of another record. */
import { SelectField, TextArea, TextField } from "../../../components/fields.js";
import { html, useState } from "../../../html.js";
import { RecordHelp } from "./record-help.js";

const BREAK = /\r\n|\r|\n/g;

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
  if (column.lookup) return html`<${RecordHelp} column=${column} value=${value} onInput=${onInput} fault=${fault} priceList=${priceList} onFound=${onFound} ...${field} />`;
  return html`<${TextField} label=${column.title} type=${column.type === "date" ? "date" : "text"} value=${value} onInput=${onInput} fault=${fault}
    inputProps=${["integer", "number"].includes(column.type) ? { inputmode: "decimal" } : {}} ...${field} />`;
}
