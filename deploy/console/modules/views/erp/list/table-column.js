/** A property of a resource as a column of the table. */
import { hrefTo } from "../../../addresses.js";
import { addedBy } from "../../../api/descriptions.js";
import { keyOf } from "../../../api/records.js";
import { html } from "../../../html.js";
import { writeIn } from "../amounts.js";
import { stateOf } from "../states.js";
import { targetOf, Value } from "../value.js";

export function tableColumn(column, index, resource, offer, nameOf) {
  const isNumber = column.type === "number" || (column.type === "integer" && !resource.key.some((part) => part.name === column.name));
  const text = (row) => writeIn(row[column.name], column, row);
  return {
    key: column.name,
    title: column.title,
    sortKey: column.name,
    head: index === 0,
    number: isNumber && index > 0,
    isWhole: column.type === "date",
    value: (row) => row[column.name],
    adds: addedBy(column.measure),
    isMoney: column.measure?.kind === "amount",
    text,
    cell: index === 0
      ? (row) => html`<a href=${hrefTo(["erp", resource.name, keyOf(resource, row)])}>${text(row) || keyOf(resource, row)}</a>`
      : targetOf(column, offer) ? (row) => html`<${Value} value=${row[column.name]} field=${column} offer=${offer} nameOf=${nameOf} nothing=${null} />` : (row) => stateOf(row[column.name], column) ?? text(row),
  };
}
