/** A collection of a record as a table. */
import { addedBy } from "../../api/descriptions.js";
import { Table } from "../../components/table/table.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { hrefTo } from "../../addresses.js";
import { columnsOfLines } from "./line-columns.js";
import { paidResource } from "./linked-documents.js";
import { oneOf } from "./heads.js";
import { Value } from "./value.js";

/** A link from a row of a payment to the document that it pays; undefined for all else. */
function paidLink(field, line, offer) {
  const resource = field === "DocEntry" && paidResource(line);
  const kind = resource && offer.items.find((each) => each.name === resource && each.methods.includes("GET"));
  return kind && line.DocEntry ? html`<a href=${hrefTo(["erp", resource, line.DocEntry])}>${t`${oneOf(kind)} (interno ${line.DocEntry})`}</a>` : undefined;
}

export function Lines({ title, described, lines, record, offer, nameOf, layout }) {
  const columns = columnsOfLines(lines, described).map((field, index) => ({
    key: field,
    title: described.titleOf(field),
    head: index === 0,
    number: index > 0 && lines.some((line) => typeof line[field] === "number"),
    value: (line) => line[field],
    adds: addedBy(described.fieldOf(field).measure, record),
    isMoney: described.fieldOf(field).measure?.kind === "amount",
    cell: (line) => paidLink(field, line, offer) ?? html`<${Value} value=${field === "LineNum" ? line[field] + 1 : line[field]} field=${described.fieldOf(field, line[field])} row=${line} around=${record} offer=${offer} nameOf=${nameOf} />`,
  }));
  if (!columns.length) return null;
  return html`<section class="panel flush">
    <header><h2>${title}</h2><span class="small muted">${lines.length}</span></header>
    <${Table} caption=${title} layout=${layout} columns=${columns} rows=${lines} rowKey=${(line) => lines.indexOf(line)} />
  </section>`;
}
