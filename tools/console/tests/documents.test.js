import assert from "node:assert/strict";
import { test } from "node:test";

import { estimateOf, totalsOf } from "../../../deploy/console/modules/views/erp/totals.js";
import { flowOf } from "../../../deploy/console/modules/views/erp/linked-documents.js";
import { documentStateOf, openAmountOf, totalOf } from "../../../deploy/console/modules/views/erp/document-state.js";
import { headOf } from "../../../deploy/console/modules/views/erp/heads.js";

const KINDS = [{ resource: "Orders", number: 17 }, { resource: "Invoices", number: 13 }, { resource: "Other", number: null }];
const LINE = { LineNum: 0, ItemCode: "A", Quantity: 2, UnitPrice: 500, DiscountPercent: 0, TaxPercentagePerRow: 19, Currency: "CLP" };
const ORDER = { DocTotal: 1190, VatSum: 190, DocTotalFc: 0, VatSumFc: 0, DocCurrency: "CLP", DocumentLines: [LINE] };

test("a document comes from what its lines name, and each is named once", () => {
  const lines = [{ BaseType: 17, BaseEntry: 4 }, { BaseType: 17, BaseEntry: 4 }, { BaseType: -1, BaseEntry: null }, { BaseType: 99, BaseEntry: 1 }, { BaseType: 17, BaseEntry: 5, TargetType: 13, TargetEntry: 8 }];
  assert.deepEqual(flowOf({ DocumentLines: lines, Comments: "x" }, KINDS), [
    { way: "Base", resource: "Orders", entry: 4 }, { way: "Base", resource: "Orders", entry: 5 }, { way: "Target", resource: "Invoices", entry: 8 },
  ].map(({ way, entry, resource }) => ({ way, entry, resource })));
  assert.deepEqual(flowOf({ DocumentLines: [] }, KINDS), []);
});

test("a partner is called by its name, all else by its number", () => {
  const partners = { name: "BusinessPartners", singular: "Socio", key: [{ name: "CardCode" }], columns: [{ name: "CardCode" }] };
  assert.deepEqual(headOf(partners, { CardCode: "C1", CardName: "Ana SpA" }, "C1"), { title: "Ana SpA", about: "Socio C1" });
  assert.equal(headOf(partners, { CardCode: "C1", CardName: null }, "C1").title, "Socio C1");
  const orders = { name: "Orders", singular: "Pedido", key: [{ name: "DocEntry" }], columns: [{ name: "DocNum" }] };
  assert.equal(headOf(orders, { DocNum: 9, CardName: "Ana SpA" }, "1").title, "Pedido 9");
});

test("the ERP's totals are those of the document's own currency", () => {
  assert.deepEqual(totalsOf(ORDER), { net: 1000, tax: 190, total: 1190, currency: "CLP" });
  const foreign = { ...ORDER, DocTotal: 4648497, VatSum: 742197, DocCurrency: "USD", DocTotalFc: 5176.5, VatSumFc: 826.5 };
  assert.deepEqual(totalsOf(foreign, "CLP"), { net: 4350, tax: 826.5, total: 5176.5, currency: "USD", local: { total: 4648497, currency: "CLP" } });
  assert.deepEqual(totalsOf(foreign), { net: 4350, tax: 826.5, total: 5176.5, currency: "USD", local: { total: 4648497, currency: "" } });
  // without the amount in the document's currency, the company's is not called by the document's code
  const { DocTotalFc, VatSumFc, ...hidden } = foreign;
  assert.deepEqual([totalsOf(hidden, "CLP").total, totalsOf(hidden, "CLP").currency, totalsOf(hidden, null).currency], [4648497, "CLP", ""]);
  // some fill in both amounts of a document in the company's own currency
  assert.deepEqual(totalsOf({ ...ORDER, DocTotalFc: 1190, VatSumFc: 190 }, "CLP"), { net: 1000, tax: 190, total: 1190, currency: "CLP" });
  assert.equal(totalsOf({ CardCode: "C1" }), null);
});

test("a net is told where the total holds nothing else but freight, and that by its name", () => {
  const paid = { ...ORDER, DocTotal: 0, DownPaymentsToDraw: [{ AmountToDraw: 1190 }] };
  const others = [{ ...ORDER, DownPaymentAmount: 100 }, { ...ORDER, WTAmount: 5 }, { ...ORDER, RoundingDiffAmount: -0.4 }];
  for (const record of [paid, ...others]) {
    assert.deepEqual([totalsOf(record).net, totalsOf(record).total], [null, record.DocTotal]);
    const { net, tax, total } = estimateOf(record, [{ ...LINE, Quantity: 3 }]);
    assert.deepEqual([net, tax, total], [null, 285, null]);
  }
  const sent = { ...ORDER, DocTotal: 1309, VatSum: 209, DocumentAdditionalExpenses: [{ LineTotal: 100 }] };
  assert.deepEqual([totalsOf(sent).net, totalsOf(sent).hasExpenses], [1100, true]);
  assert.equal(estimateOf(sent, [LINE]).hasExpenses, true);
  assert.deepEqual(totalsOf({ ...ORDER, WTAmount: 0, DownPaymentsToDraw: [], DocumentAdditionalExpenses: [{ LineTotal: 0 }] }), totalsOf(ORDER));
});

test("changed lines change net, tax and total by what differs", () => {
  const of = (lines, order = ORDER) => estimateOf(order, lines);
  assert.deepEqual(of([LINE]), { net: 1000, tax: 190, total: 1190, currency: "CLP", unpriced: 0 });
  assert.deepEqual(of([{ ...LINE, Quantity: 3 }]), { net: 1500, tax: 285, total: 1785, currency: "CLP", unpriced: 0 });
  assert.deepEqual(of([{ ...LINE, UnitPrice: 333 }]), { net: 666, tax: 127, total: 793, currency: "CLP", unpriced: 0 });
  // a new line has the rate that all have; one without a price is told, and not guessed
  assert.deepEqual(of([LINE, { ItemCode: "B", Quantity: 1, UnitPrice: 100 }]), { net: 1100, tax: 209, total: 1309, currency: "CLP", unpriced: 0 });
  assert.deepEqual(of([LINE, { ItemCode: "B", Quantity: 1 }]), { net: 1000, tax: 190, total: 1190, currency: "CLP", unpriced: 1 });
  // the discount of the whole document holds for what differs, too
  const discounted = { ...ORDER, DocTotal: 1071, VatSum: 171, DiscountPercent: 10 };
  assert.deepEqual(of([{ ...LINE, Quantity: 3 }], discounted), { net: 1350, tax: 257, total: 1607, currency: "CLP", unpriced: 0 });
});

test("where rates differ a new line's tax is the ERP's to tell; of a new document all of it", () => {
  const mixed = { ...ORDER, DocumentLines: [LINE, { ...LINE, LineNum: 1, TaxPercentagePerRow: 0 }] };
  const added = estimateOf(mixed, [...mixed.DocumentLines, { ItemCode: "B", Quantity: 1, UnitPrice: 100 }]);
  assert.deepEqual([added.net, added.tax, added.total], [1100, null, null]);
  assert.deepEqual(estimateOf({}, [{ ItemCode: "A", Quantity: 2, UnitPrice: 10.5 }]), { net: 21, tax: null, total: null, currency: "", unpriced: 0 });
});

test("nothing is added over different currencies", () => {
  assert.equal(estimateOf(ORDER, [LINE, { ...LINE, LineNum: 1, Currency: "USD" }]), null);
  assert.equal(estimateOf({ ...ORDER, DocCurrency: "USD" }, [LINE]), null);
});

test("a discount stands between the lines and the net, in the document's own currency, and is left out of an estimate", () => {
  const discounted = { ...ORDER, DocTotal: 1071, VatSum: 171, TotalDiscount: 100, DiscountPercent: 10 };
  assert.deepEqual(totalsOf(discounted), { net: 900, tax: 171, total: 1071, currency: "CLP", discount: 100 });
  const foreign = { ...discounted, DocCurrency: "USD", DocTotalFc: 10.71, VatSumFc: 1.71, TotalDiscountFC: 1 };
  assert.deepEqual([totalsOf(foreign, "CLP").discount, totalsOf({ ...foreign, TotalDiscountFC: 0 }, "CLP").discount], [1, undefined]);
  assert.equal("discount" in estimateOf(discounted, [LINE]), false);
});

test("a document is open, closed, cancelled or the cancellation of another one", () => {
  const states = [{ DocumentStatus: "bost_Open" }, { DocumentStatus: "bost_Close" }, { DocumentStatus: "bost_Close", Cancelled: "tYES" }, { DocumentStatus: "bost_Close", CancelStatus: "csYes" }, { DocumentStatus: "bost_Close", CancelStatus: "csCancellation", Cancelled: "tYES" }, { CardName: "x" }, { Cancelled: "tYES" }];
  assert.deepEqual(states.map(documentStateOf), ["open", "closed", "cancelled", "cancelled", "cancellation", null, "cancelled"]);
});

test("what is open of an invoice is told in its currency, and of nothing else", () => {
  const invoice = { DocumentStatus: "bost_Open", DocTotal: 1190, DocTotalFc: 0, PaidToDate: 190, DocCurrency: "CLP" };
  assert.deepEqual(openAmountOf("Invoices", invoice), { amount: 1000, currency: "CLP" });
  assert.deepEqual(openAmountOf("Invoices", { ...invoice, DocCurrency: "USD", DocTotalFc: 2, PaidToDateFC: 0.5 }), { amount: 1.5, currency: "USD" });
  assert.deepEqual([openAmountOf("Invoices", { ...invoice, DocumentStatus: "bost_Close" }), openAmountOf("Invoices", { ...invoice, PaidToDate: undefined }), openAmountOf("Orders", invoice)], [null, null, null]);
});

test("a payment comes to all its means together", () => {
  const payment = { PaymentInvoices: [], CashSum: 100, TransferSum: 50, PaymentChecks: [{ CheckSum: 7 }, { CheckSum: 3 }], PaymentCreditCards: [{ CreditSum: 1 }], DocCurrency: "CLP" };
  assert.deepEqual(totalOf(payment), { amount: 161, currency: "CLP" });
  assert.deepEqual([totalOf({ CardName: "x" }), totalOf({ DocTotal: 5, DocCurrency: "CLP" })], [null, { amount: 5, currency: "CLP" }]);
});
