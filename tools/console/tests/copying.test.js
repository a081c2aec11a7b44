import assert from "node:assert/strict";
import { test } from "node:test";

import { openLines, targetsOf } from "../../../deploy/console/modules/views/erp/copy-targets.js";
import { BASES, basedOn, withBases } from "../../../deploy/console/modules/views/erp/forms/based-lines.js";
import { amountFault, owedOf, paymentBody, paymentStart } from "../../../deploy/console/modules/views/erp/forms/payment-body.js";
import { readNewLines } from "../../../deploy/console/modules/views/erp/forms/read-fields.js";
import { withUnits } from "../../../deploy/console/modules/views/erp/forms/row-shapes.js";
import { takenOver, UNIT } from "../../../deploy/console/modules/views/erp/forms/taken-over.js";

const LINES = [
  { LineNum: 0, ItemCode: "A", Quantity: 5, RemainingOpenQuantity: 3, UnitPrice: 10, LineStatus: "bost_Open", UoMEntry: 4 },
  { LineNum: 1, ItemCode: "B", Quantity: 2, RemainingOpenQuantity: 0, UnitPrice: 7, LineStatus: "bost_Close" },
  { LineNum: 2, ItemCode: "C", Quantity: 1.5, RemainingOpenQuantity: 1.5, UnitPrice: 8, LineStatus: "bost_Open" },
];
const ORDER = { DocEntry: 12, CardCode: "C1", DocumentStatus: "bost_Open", DocDueDate: "2030-01-31", DocumentLines: LINES };
const COLUMNS = [{ name: "ItemCode", type: "text" }, { name: "Quantity", type: "number" }, { name: "UnitPrice", type: "number" }];
const HEAD = [{ name: "CardCode", type: "text" }];
const unitOf = ({ UoMEntry }) => UoMEntry ?? null;
const started = (options = {}) => basedOn(takenOver({ ...ORDER, DocumentLines: openLines(ORDER) }, HEAD, COLUMNS, { unitOf }), ORDER, 17, { today: "2026-01-01", needsDue: false, ...options });
const sent = (lines) => readNewLines(withBases(withUnits(lines)), {}, { columns: [...COLUMNS, UNIT, ...BASES] });

test("a document is copied with what is open of it, each line linked to its own", () => {
  const { texts, lines } = started();
  assert.deepEqual(texts, { CardCode: "C1" });
  assert.deepEqual(lines.map(({ ItemCode, Quantity }) => [ItemCode, Quantity]), [["A", "3"], ["C", "1,5"]]);
  assert.deepEqual(sent(lines), [{ BaseType: 17, BaseEntry: 12, BaseLine: 0, Quantity: 3 }, { BaseType: 17, BaseEntry: 12, BaseLine: 2, Quantity: 1.5 }]);
});

test("what was changed is sent with the link, a line of another item without it, and a line taken out not at all", () => {
  const [first, second] = started().lines;
  assert.deepEqual(sent([{ ...first, Quantity: "1", UnitPrice: "9" }]), [{ BaseType: 17, BaseEntry: 12, BaseLine: 0, Quantity: 1, UnitPrice: 9 }]);
  assert.deepEqual(sent([second]), [{ BaseType: 17, BaseEntry: 12, BaseLine: 2, Quantity: 1.5 }]);
  assert.deepEqual(sent([{ ...first, ItemCode: "Z" }, { ItemCode: "N", Quantity: "2" }]), [{ ItemCode: "Z", Quantity: 3, UnitPrice: 10 }, { ItemCode: "N", Quantity: 2 }]);
});

test("a document that says until when takes the date of the other one, unless that is over", () => {
  assert.deepEqual(started({ needsDue: true }).texts, { CardCode: "C1", DocDueDate: "2030-01-31" });
  assert.deepEqual(started({ needsDue: true, today: "2030-02-01" }).texts, { CardCode: "C1" });
});

test("lines of an ERP that doesn't tell what is open are copied whole, closed ones not", () => {
  assert.deepEqual(openLines({ DocumentLines: [{ LineNum: 0, Quantity: 2 }, { LineNum: 1, Quantity: 2, LineStatus: "bost_Close" }] }).map(({ LineNum, Quantity }) => [LineNum, Quantity]), [[0, 2]]);
  assert.deepEqual(openLines({}), []);
});

test("an open document is copied to what the person may create, and an invoice is paid while it is owed", () => {
  const offer = { items: ["DeliveryNotes", "Invoices", "IncomingPayments", "CreditNotes"].map((name) => ({ name, methods: name === "Invoices" ? ["GET"] : ["GET", "POST"] })) };
  const of = (name, record) => targetsOf(name, record, offer).map((each) => each.name);
  assert.deepEqual(of("Orders", ORDER), ["DeliveryNotes"]);
  assert.deepEqual(of("Orders", { ...ORDER, DocumentStatus: "bost_Close" }), []);
  assert.deepEqual(of("Orders", { ...ORDER, Cancelled: "tYES" }), []);
  assert.deepEqual(of("Invoices", { DocumentStatus: "bost_Open", DocTotal: 10, PaidToDate: 4 }), ["IncomingPayments", "CreditNotes"]);
  assert.deepEqual(of("Invoices", { DocumentStatus: "bost_Open", DocTotal: 10, PaidToDate: 10 }), ["CreditNotes"]);
  assert.deepEqual([of("Items", {}), of("toString", ORDER)], [[], []]);
});

test("a payment names its invoice and what it pays of it, by one means", () => {
  const invoice = { DocEntry: 9, CardCode: "C1", DocTotal: 1190, PaidToDate: 190.1 };
  assert.equal(owedOf(invoice), 999.9);
  assert.deepEqual(paymentStart(invoice).texts, { SumApplied: "999,9", means: "transfer" });
  const rows = [{ DocEntry: 9, InvoiceType: "it_Invoice", SumApplied: 50 }];
  assert.deepEqual(paymentBody("IncomingPayments", invoice, { SumApplied: 50, means: "cash", account: "110" }), { DocType: "rCustomer", CardCode: "C1", CashSum: 50, CashAccount: "110", PaymentInvoices: rows });
  const sentOut = paymentBody("VendorPayments", invoice, { SumApplied: 50, means: "transfer", DocDate: "2026-01-02", TransferReference: "T1" });
  assert.deepEqual(sentOut, { DocType: "rSupplier", CardCode: "C1", DocDate: "2026-01-02", TransferSum: 50, TransferReference: "T1", PaymentInvoices: [{ ...rows[0], InvoiceType: "it_PurchaseInvoice" }] });
  assert.deepEqual([amountFault(999.9, invoice), amountFault(1000, invoice) !== null, amountFault(0, invoice) !== null, amountFault(undefined, invoice) !== null], [null, true, true, true]);
});
