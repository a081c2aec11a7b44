/** The payment of one invoice, as the ERP takes it. Pure. */
import { t } from "../../../texts.js";
import { PAYMENTS } from "../copy-targets.js";
import { asText } from "./typed-values.js";

const MEANS = [{ value: "cash", title: t`Efectivo` }, { value: "transfer", title: t`Transferencia` }];
const AMOUNT = "SumApplied";

/** The fields of the form. @param {import("../../../api/descriptions.js").Description} described of payments */
export function paymentColumns(described) {
  const field = (name, type, title, more = {}) => ({ name, type, title, choices: [], lookup: null, ...more });
  return [
    field(AMOUNT, "number", t`Monto`),
    field("means", "text", t`Medio de pago`, { choices: MEANS }),
    field("DocDate", "date", described.titleOf("DocDate")),
    field("TransferReference", "text", t`Referencia`),
    field("account", "text", t`Cuenta contable`),
  ];
}

/** What is not paid of an invoice, in the company's currency: payments are in it. */
export const owedOf = ({ DocTotal, PaidToDate }) => Math.round(((DocTotal ?? 0) - (PaidToDate ?? 0)) * 1e6) / 1e6;

/** What the form begins with: all that is owed, by transfer. */
export const paymentStart = (invoice) => ({ texts: { [AMOUNT]: asText(owedOf(invoice), "number"), means: "transfer" }, lines: [] });

/**
 * @param {string} resource of the payment
 * @param {any} invoice
 * @param {any} typed values by field
 */
export function paymentBody(resource, invoice, { [AMOUNT]: amount, means, account, DocDate, TransferReference }) {
  const { InvoiceType, DocType } = PAYMENTS[resource];
  const isCash = means === "cash";
  return {
    DocType,
    CardCode: invoice.CardCode,
    ...(DocDate && { DocDate }),
    [isCash ? "CashSum" : "TransferSum"]: amount,
    ...(account && { [isCash ? "CashAccount" : "TransferAccount"]: account }),
    ...(TransferReference && { [isCash ? "Reference1" : "TransferReference"]: TransferReference }),
    PaymentInvoices: [{ DocEntry: invoice.DocEntry, InvoiceType, [AMOUNT]: amount }],
  };
}

/** What is wrong with the amount; null where nothing is. @param {number | undefined} amount */
export function amountFault(amount, invoice) {
  if (amount === undefined || !(amount > 0)) return t`Escriba un monto mayor que cero.`;
  return amount > owedOf(invoice) ? t`Es más de lo que se debe.` : null;
}
