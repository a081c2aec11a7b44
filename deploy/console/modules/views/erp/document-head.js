/** What people look for first in a document: for whom it is, how far it is, what it comes to and what is open. */
import { hrefTo } from "../../addresses.js";
import { State } from "../../components/badge.js";
import { day, money } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { DOCUMENT_STATES, documentStateOf, openAmountOf, totalOf } from "./document-state.js";

const PARTNERS = "BusinessPartners";

/** Whether a record is a document or payment with somebody. */
export const isWithPartner = (record) => "CardCode" in record && totalOf(record) !== null;

/** The line below a document's title: its state and its partner by name. @param {{record: any, offer: {items: any[]}}} props */
export function DocumentAbout({ record, offer }) {
  const { CardCode, CardName } = record;
  const state = documentStateOf(record);
  const name = CardName || CardCode;
  const isReadable = offer.items.some((each) => each.name === PARTNERS && each.methods.includes("GET"));
  return html`${state && html`<${State} of=${state} words=${DOCUMENT_STATES} /> `}${CardCode && isReadable ? html`<a href=${hrefTo(["erp", PARTNERS, CardCode])}>${name}</a>` : name}`;
}

/** @param {{resource: any, record: any, described: import("../../api/descriptions.js").Description}} props */
export function DocumentHead({ resource, record, described }) {
  const total = totalOf(record);
  const open = openAmountOf(resource.name, record);
  const due = record.DocDueDate;
  const fact = (title, value) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
  return html`<section class="panel document-head" aria-label=${t`Resumen`}><dl>
    <div class="large"><dt>${"DocTotal" in record ? described.titleOf("DocTotal") : t`Total`}</dt><dd>${money(total.amount, total.currency)}</dd></div>
    ${open && fact(t`Por pagar`, money(open.amount, open.currency))}
    ${due && fact(described.titleOf("DocDueDate"), day(due))}
    ${record.DocDate && fact(described.titleOf("DocDate"), day(record.DocDate))}
  </dl></section>`;
}
