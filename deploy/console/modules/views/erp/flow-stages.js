/** The stages that documents of sales and purchases pass, and the documents found in each. Pure. */
import { t } from "../../texts.js";

/** @type {[string, string[]][][]} */
const CHAINS = [
  [
    [t`Oferta`, ["Quotations"]],
    [t`Pedido`, ["Orders"]],
    [t`Entrega`, ["DeliveryNotes", "ReturnRequest", "Returns"]],
    [t`Factura`, ["DownPayments", "Invoices", "CreditNotes"]],
    [t`Cobro`, ["IncomingPayments"]],
  ],
  [
    [t`Oferta`, ["PurchaseRequests", "PurchaseQuotations"]],
    [t`Pedido`, ["PurchaseOrders"]],
    [t`Entrada`, ["PurchaseDeliveryNotes", "GoodsReturnRequest", "PurchaseReturns"]],
    [t`Factura`, ["PurchaseDownPayments", "PurchaseInvoices", "PurchaseCreditNotes"]],
    [t`Pago`, ["VendorPayments"]],
  ],
];

/**
 * @typedef {object} FlowDocument as the gateway tells it; what lines name without more has `resource` and `key` alone
 * @property {string} resource
 * @property {string} key
 * @property {string} [singular]
 * @property {number} [number]
 * @property {string | null} [date]
 * @property {number | null} [total]
 * @property {string} [currency]
 * @property {number | null} [open] what is not paid of an invoice
 * @property {number | null} [applied] what of a payment was applied to the invoice
 * @property {string} [state]
 *
 * @typedef {{documents: FlowDocument[], hasHidden: boolean, isComplete: boolean}} FlowSide
 * @typedef {{document: FlowDocument, base: FlowSide, following: FlowSide}} FlowAnswer
 * @typedef {{documents: Map<string, FlowDocument>, read: Set<string>, hasHidden: boolean, isComplete: boolean}} Flow what is known: `read` are the documents whose neighbours were read
 */

export const nodeOf = ({ resource, key }) => `${resource}/${key}`;

/** Whether documents of a resource come from others or lead to others. */
export const hasFlow = (resource) => CHAINS.some((chain) => chain.some(([, names]) => names.includes(resource)));

/** What is known before anything is read. @param {FlowDocument[]} documents @returns {Flow} */
export const startOf = (documents) => ({ documents: new Map(documents.map((each) => [nodeOf(each), each])), read: new Set(), hasHidden: false, isComplete: true });

/** What is known with one more answer. @param {Flow} flow @param {FlowAnswer} answer @returns {Flow} */
export function withAnswer(flow, { document, base, following }) {
  const documents = new Map(flow.documents);
  for (const each of [...base.documents, ...following.documents]) documents.set(nodeOf(each), { ...documents.get(nodeOf(each)), ...each, applied: each.applied ?? documents.get(nodeOf(each))?.applied });
  documents.set(nodeOf(document), { ...documents.get(nodeOf(document)), ...document, applied: document.applied ?? documents.get(nodeOf(document))?.applied });
  const sides = [base, following];
  return {
    documents, read: new Set([...flow.read, nodeOf(document)]),
    hasHidden: flow.hasHidden || sides.some(({ hasHidden }) => hasHidden), isComplete: flow.isComplete && sides.every(({ isComplete }) => isComplete),
  };
}

/**
 * The stages of a document's chain with the documents in each, oldest first; documents of other kinds come last.
 *
 * @param {string} resource
 * @param {Flow} flow
 * @returns {{title: string, documents: FlowDocument[]}[]}
 */
export function stagesOf(resource, { documents }) {
  const chain = CHAINS.find((each) => each.some(([, names]) => names.includes(resource))) ?? [];
  const sorted = [...documents.values()].sort((one, other) => (one.number ?? 0) - (other.number ?? 0));
  const stages = chain.map(([title, names]) => ({ title, documents: names.flatMap((name) => sorted.filter((each) => each.resource === name)) }));
  const others = sorted.filter((each) => !chain.some(([, names]) => names.includes(each.resource)));
  return others.length ? [...stages, { title: t`Otros`, documents: others }] : stages;
}
