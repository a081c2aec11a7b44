/** Rows that a record does not have yet. */
import { html, useLayoutEffect, useRef } from "../../../html.js";
import { t } from "../../../texts.js";
import { TypedField } from "./typed-inputs.js";

/** @param {{lines: object[], onChange: (lines: object[]) => void, faults: object, least?: number, columns: object[], prefix?: string, another?: string, called?: string, priceList?: number}} props `lines` hold what was typed, by column */
export function NewLines({ lines, onChange, faults, least = 0, columns, prefix = "new.", another = t`Otra línea`, called = t`Línea nueva`, priceList = undefined }) {
  const set = (at, name) => (text) => onChange(lines.map((line, index) => (index === at ? { ...line, [name]: text } : line)));
  const box = useRef(null);
  const isAdding = useRef(false);
  useLayoutEffect(() => {
    if (isAdding.current) box.current.querySelector("fieldset:last-of-type :is(input, select)")?.focus();
    isAdding.current = false;
  }, [lines.length]);
  const add = () => {
    isAdding.current = true;
    onChange([...lines, {}]);
  };
  return html`<div class="stack" data-lines ref=${box}>
    ${lines.map((line, at) => html`<fieldset class="row" key=${at}><legend class="unseen">${called} ${at + 1}</legend>
      ${columns.map((column, place) => html`<${TypedField} key=${column.name} column=${column} grow=${place === 0} value=${line[column.name] ?? ""} fault=${faults[`${prefix}${at}.${column.name}`]} priceList=${priceList}
        onInput=${set(at, column.name)} />`)}
      ${lines.length > least && html`<button type="button" class="plain small" onClick=${() => onChange(lines.filter((_, index) => index !== at))} aria-label=${t`Quitar: ${called} ${at + 1}`}>${t`Quitar`}</button>`}
    </fieldset>`)}
    <div class="actions"><button type="button" class="small" data-another onClick=${add}>${another}</button></div>
  </div>`;
}
