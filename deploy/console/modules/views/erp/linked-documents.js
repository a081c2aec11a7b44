/** The documents that a record names itself: those that its lines come from or lead to, and the invoices that a payment pays. Pure. */

/** What `InvoiceType` of a payment stands for. */
const PAID = {
  it_Invoice: "Invoices", it_CredItnote: "CreditNotes", it_DownPayment: "DownPayments", it_PurchaseInvoice: "PurchaseInvoices", it_PurchaseCreditNote: "PurchaseCreditNotes",
  it_PurchaseDownPayment: "PurchaseDownPayments", it_JournalEntry: "JournalEntries",
};

/** The resource of the document that a row of a payment pays; undefined where it names none. */
export const paidResource = ({ InvoiceType }) => (Object.hasOwn(PAID, InvoiceType) ? PAID[InvoiceType] : undefined);

/**
 * The documents that a record names, each once.
 *
 * @param {{resource: string, number: number | null}[]} documents what the numbers stand for
 * @returns {{way: string, resource: string, entry: number}[]}
 */
export function flowOf(record, documents) {
  const lines = Object.values(record).filter(Array.isArray).flat().filter((line) => line !== null && typeof line === "object");
  const found = ["Base", "Target"].flatMap((way) => lines.map((line) => ({ way, number: line[`${way}Type`], entry: line[`${way}Entry`] })));
  const named = found.filter(({ entry }) => Number.isInteger(entry)).map(({ way, number, entry }) => ({ way, entry, resource: documents.find((each) => each.number === number)?.resource }));
  const paid = (record.PaymentInvoices ?? []).filter(({ DocEntry }) => Number.isInteger(DocEntry)).map((row) => ({ way: "Base", entry: row.DocEntry, resource: paidResource(row) }));
  const seen = new Map([...named, ...paid].filter(({ resource }) => resource).map((each) => [JSON.stringify(each), each]));
  return [...seen.values()];
}
