/** How far a document is, and what is open of it. Pure. */
import { localCurrency } from "../../currencies.js";
import { t } from "../../texts.js";

/** States of documents as the gateway tells them, with the kind of badge. @type {Record<string, [string, string]>} */
export const DOCUMENT_STATES = { open: [t`Abierto`, "now"], closed: [t`Cerrado`, ""], cancelled: [t`Anulado`, "bad"], cancellation: [t`De anulación`, "bad"] };

const YES = "tYES";

/** The state of a document; null where the record doesn't have one. @returns {string | null} */
export function documentStateOf({ CancelStatus, Cancelled, DocumentStatus }) {
  if (CancelStatus === "csCancellation") return "cancellation";
  if (CancelStatus === "csYes" || Cancelled === YES) return "cancelled";
  if (DocumentStatus === undefined) return null;
  return DocumentStatus === "bost_Open" ? "open" : "closed";
}

const isForeign = ({ DocTotalFc, DocCurrency }) => Boolean(DocTotalFc) && DocCurrency !== localCurrency();
const sum = (rows, name) => (rows ?? []).reduce((total, row) => total + (row[name] ?? 0), 0);

const PAID = ["Invoices", "CreditNotes", "DownPayments", "PurchaseInvoices", "PurchaseCreditNotes", "PurchaseDownPayments"]; // orders have `PaidToDate`, too

/**
 * What is not paid yet of an open invoice; null of all else.
 *
 * @param {string} resource
 * @param {any} record
 * @returns {{amount: number, currency: string} | null}
 */
export function openAmountOf(resource, record) {
  if (!PAID.includes(resource) || documentStateOf(record) !== "open" || typeof record.PaidToDate !== "number") return null;
  return isForeign(record)
    ? { amount: record.DocTotalFc - (record.PaidToDateFC ?? 0), currency: record.DocCurrency }
    : { amount: record.DocTotal - record.PaidToDate, currency: localCurrency() ?? record.DocCurrency ?? "" };
}

/**
 * What a document or payment comes to in its own currency; null where the record doesn't tell.
 *
 * @returns {{amount: number, currency: string} | null}
 */
export function totalOf(record) {
  const local = localCurrency() ?? record.DocCurrency ?? "";
  if (typeof record.DocTotal === "number") return isForeign(record) ? { amount: record.DocTotalFc, currency: record.DocCurrency } : { amount: record.DocTotal, currency: local };
  if (!Array.isArray(record.PaymentInvoices)) return null;
  const paid = (record.CashSum ?? 0) + (record.TransferSum ?? 0) + sum(record.PaymentChecks, "CheckSum") + sum(record.PaymentCreditCards, "CreditSum");
  return { amount: paid, currency: record.DocCurrency || local };
}
