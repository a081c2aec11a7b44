import assert from "node:assert/strict";
import { test } from "node:test";

import { hasFlow, stagesOf, startOf, withAnswer } from "../../../deploy/console/modules/views/erp/flow-stages.js";
import { flowOf, paidResource } from "../../../deploy/console/modules/views/erp/linked-documents.js";

const side = (documents = [], more = {}) => ({ documents, hasHidden: false, isComplete: true, ...more });
const doc = (resource, key, more = {}) => ({ resource, key, number: Number(key), ...more });
const shown = (resource, flow) => stagesOf(resource, flow).map(({ title, documents }) => [title, documents.map((each) => each.key)]);

test("documents stand in the stages of sales or purchases, the oldest first, others last", () => {
  const flow = startOf([doc("Invoices", "9"), doc("Invoices", "3"), doc("Orders", "1"), doc("JournalEntries", "7")]);
  assert.deepEqual(shown("Orders", flow), [["Oferta", []], ["Pedido", ["1"]], ["Entrega", []], ["Factura", ["3", "9"]], ["Cobro", []], ["Otros", ["7"]]]);
  assert.deepEqual(shown("PurchaseOrders", startOf([doc("PurchaseOrders", "2")])), [["Oferta", []], ["Pedido", ["2"]], ["Entrada", []], ["Factura", []], ["Pago", []]]);
  assert.deepEqual([hasFlow("VendorPayments"), hasFlow("Items")], [true, false]);
});

test("an answer adds what it found and keeps what was known, such as what a payment applied", () => {
  const start = startOf([{ resource: "Orders", key: "1" }, doc("DeliveryNotes", "2")]);
  const first = withAnswer(start, { document: doc("DeliveryNotes", "2", { total: 10 }), base: side([doc("Orders", "1", { total: 10 })]), following: side([doc("Invoices", "3", { applied: 5 })]) });
  assert.deepEqual([...first.read], ["DeliveryNotes/2"]);
  assert.equal(first.documents.get("Orders/1").total, 10);
  const second = withAnswer(first, { document: doc("Invoices", "3", { open: 4 }), base: side([doc("DeliveryNotes", "2")]), following: side([], { hasHidden: true, isComplete: false }) });
  assert.deepEqual(second.documents.get("Invoices/3"), { resource: "Invoices", key: "3", number: 3, applied: 5, open: 4 });
  assert.deepEqual([second.documents.size, second.hasHidden, second.isComplete, first.hasHidden], [3, true, false, false]);
});

test("a payment comes from the documents that it pays, each once, and not from what nobody knows", () => {
  const rows = [{ DocEntry: 4, InvoiceType: "it_Invoice" }, { DocEntry: 4, InvoiceType: "it_Invoice" }, { DocEntry: 5, InvoiceType: "it_CredItnote" }, { DocEntry: 6, InvoiceType: "it_AllTransactions" }, { DocEntry: null, InvoiceType: "it_Invoice" }];
  assert.deepEqual(flowOf({ PaymentInvoices: rows }, []).map(({ resource, entry }) => [resource, entry]), [["Invoices", 4], ["CreditNotes", 5]]);
  assert.equal(paidResource({ InvoiceType: "toString" }), undefined);
});
