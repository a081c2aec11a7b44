/** One line of a document that is being made. */
import { TextField } from "../../../../components/fields.js";
import { money, number } from "../../../../formats.js";
import { html, useMemo } from "../../../../html.js";
import { t } from "../../../../texts.js";
import { RecordHelp } from "../record-help.js";
import { TypedField } from "../typed-inputs.js";
import { amountOf, listPriceOf, pricedLine } from "./line-amounts.js";

/**
 * @param {object} props
 * @param {Record<string, string>} props.line what was typed, by column
 * @param {number} props.at
 * @param {any[]} props.columns
 * @param {any} props.item the record of its item; null where the ERP has none, undefined as long as it is not known
 * @param {number} [props.priceList] the partner's
 * @param {Record<string, string>} props.faults by column
 * @param {(at: number, name: string) => (text: string) => void} props.set
 * @param {(record: any) => void} props.onFound
 * @param {((at: number) => void) | null} props.onRemove
 */
export function EntryRow({ line, at, columns, item, priceList, faults, set, onFound, onRemove }) {
  const faultTexts = JSON.stringify(faults);
  return useMemo(() => {
    const listPrice = listPriceOf(item, priceList);
    const amount = amountOf(pricedLine(line, columns, listPrice));
    const unknown = item === null && line.ItemCode?.trim() ? t`«${line.ItemCode.trim()}» no existe.` : undefined;
    return html`<fieldset><legend class="unseen">${t`Línea nueva ${at + 1}`}</legend>
      <span class="place" aria-hidden="true">${at + 1}</span>
      ${columns.map((column) => html`<div key=${column.name} data-column=${column.name}>
        ${cell({ column, value: line[column.name] ?? "", fault: faults[column.name] ?? (column.name === "ItemCode" ? unknown : undefined), onInput: set(at, column.name), listPrice, priceList, onFound })}
        ${column.name === "ItemCode" && item && html`<span class="about"><span class="item-name">${item.ItemName}</span>${stockIn(item)}</span>`}
        ${column.name === "Quantity" && item?.InventoryUOM && html`<span class="unit muted">${item.InventoryUOM}</span>`}
      </div>`)}
      <output class="amount">${amount && money(amount.value, amount.currency)}</output>
      ${onRemove ? html`<button type="button" class="plain small" onClick=${() => onRemove(at)} aria-label=${t`Quitar: Línea nueva ${at + 1}`}>${t`Quitar`}</button>` : html`<span></span>`}
    </fieldset>`;
  }, [line, at, columns, item, priceList, faultTexts, onRemove === null]);
}

/** How many of an item there are: the number alone is shown, since its name needs the room. */
const stockIn = ({ QuantityOnStock, InventoryUOM }) => typeof QuantityOnStock === "number" && html`<span class="muted">${number(QuantityOnStock)} ${InventoryUOM ?? ""}<span class="unseen"> ${t`en existencia`}</span></span>`;

function cell({ column, value, fault, onInput, listPrice, priceList, onFound }) {
  if (column.name === "ItemCode" && column.lookup) return html`<${RecordHelp} isBare column=${column} value=${value} onInput=${onInput} fault=${fault} priceList=${priceList} onFound=${onFound} />`;
  if (column.name === "UnitPrice") {
    const placeholder = listPrice ? money(listPrice.value, listPrice.currency, { isPrice: true }) : undefined;
    return html`<${TextField} label=${column.title} value=${value} onInput=${onInput} fault=${fault} inputProps=${{ inputmode: "decimal", placeholder }} />`;
  }
  return html`<${TypedField} column=${column} value=${value} onInput=${onInput} fault=${fault} />`;
}
