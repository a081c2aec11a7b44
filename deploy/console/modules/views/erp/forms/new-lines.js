/** Lines with items that a document does not have yet. */
import { html } from "../../../html.js";
import { TypedField, readText } from "./typed-inputs.js";

const COLUMNS = [
  { name: "ItemCode", title: "Artículo", type: "text" },
  { name: "Quantity", title: "Cantidad", type: "number" },
  { name: "UnitPrice", title: "Precio unitario", type: "number" },
  { name: "WarehouseCode", title: "Bodega", type: "text" },
];

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
export function readNewLines(lines, faults) {
  return lines.map((line, at) => readFields(COLUMNS, line, `new.${at}.`, faults)).filter((line) => Object.keys(line).length > 0);
}

/** @param {{lines: object[], onChange: (lines: object[]) => void, faults: object, least: number}} props `lines` hold what was typed, by column */
export function NewLines({ lines, onChange, faults, least = 0 }) {
  const set = (at, name) => (text) => onChange(lines.map((line, index) => (index === at ? { ...line, [name]: text } : line)));
  return html`<div class="stack">
    ${lines.map((line, at) => html`<fieldset class="row" key=${at}><legend class="unseen">Línea nueva ${at + 1}</legend>
      ${COLUMNS.map((column) => html`<${TypedField} key=${column.name} column=${column} grow=${column.name === "ItemCode"} value=${line[column.name] ?? ""} fault=${faults[`new.${at}.${column.name}`]}
        onInput=${set(at, column.name)} />`)}
      ${lines.length > least && html`<button type="button" class="plain small" onClick=${() => onChange(lines.filter((_, index) => index !== at))} aria-label=${`Quitar la línea nueva ${at + 1}`}>Quitar</button>`}
    </fieldset>`)}
    <div class="actions"><button type="button" class="small" onClick=${() => onChange([...lines, {}])}>Otra línea</button></div>
  </div>`;
}
