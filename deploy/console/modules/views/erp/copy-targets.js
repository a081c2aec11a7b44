/** Which documents can be made of which. Pure. */
import { documentStateOf, openAmountOf } from "./document-state.js";

const TARGETS = {
  Quotations: ["Orders"],
  Orders: ["DeliveryNotes", "Invoices"],
  DeliveryNotes: ["Invoices", "Returns"],
  Invoices: ["IncomingPayments", "CreditNotes"],
  PurchaseQuotations: ["PurchaseOrders"],
  PurchaseOrders: ["PurchaseDeliveryNotes", "PurchaseInvoices"],
  PurchaseDeliveryNotes: ["PurchaseInvoices", "PurchaseReturns"],
  PurchaseInvoices: ["VendorPayments", "PurchaseCreditNotes"],
};

/** How a payment names the invoices that it pays, and whose it is. */
export const PAYMENTS = {
  IncomingPayments: { invoices: "Invoices", InvoiceType: "it_Invoice", DocType: "rCustomer" },
  VendorPayments: { invoices: "PurchaseInvoices", InvoiceType: "it_PurchaseInvoice", DocType: "rSupplier" },
};
export const isPayment = (resource) => Object.hasOwn(PAYMENTS, resource);

/** The resources that an open document can be copied to by this person. @param {string} resource @param {any} record @param {{items: any[]}} offer */
export function targetsOf(resource, record, offer) {
  if (!Object.hasOwn(TARGETS, resource) || documentStateOf(record) !== "open") return [];
  const targets = TARGETS[resource].map((name) => offer.items.find((each) => each.name === name && each.methods.includes("POST"))).filter(Boolean);
  return targets.filter(({ name }) => !isPayment(name) || (openAmountOf(resource, record)?.amount ?? 0) > 0);
}

/** The lines of a document of which something is open, with what is open of each as their quantity. */
export function openLines(record) {
  const openOf = ({ RemainingOpenQuantity: open, Quantity: all }) => open ?? all;
  return (record.DocumentLines ?? []).filter((line) => line.LineStatus !== "bost_Close" && openOf(line) > 0).map((line) => ({ ...line, Quantity: openOf(line) }));
}
