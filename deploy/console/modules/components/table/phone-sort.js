/** Sorting on a phone, where the table has no head to press. */
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { SelectField } from "../fields.js";

/** On a phone there is no head to press: the same as a choice. */
export function PhoneSort({ columns, sort, onSort, canSort }) {
  const sortable = columns.filter(canSort);
  if (!sortable.length) return null;
  const keyOf = (column) => column.sortKey ?? column.key;
  const options = sortable.flatMap((column) => [{ value: `${keyOf(column)} asc`, label: `${column.title} ↑` }, { value: `${keyOf(column)} desc`, label: `${column.title} ↓` }]);
  const choose = (value) => value && onSort(value.slice(0, value.lastIndexOf(" ")), value.endsWith(" desc"));
  return html`<div class="phone-sort"><${SelectField} label=${t`Ordenar por`} value=${sort ? `${sort.key} ${sort.down ? "desc" : "asc"}` : ""} empty=${t`Como viene`} onInput=${choose} options=${options} /></div>`;
}
