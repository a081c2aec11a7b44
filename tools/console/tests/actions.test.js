import assert from "node:assert/strict";
import { test } from "node:test";

import { actionsFor, effectOf } from "../../../deploy/console/modules/views/erp/record-actions.js";

const ALL = ["Close", "Cancel", "Reopen", "CreateCancellationDocument"];
const lines = (...open) => open.map((RemainingOpenQuantity, LineNum) => ({ LineNum, Quantity: 2, RemainingOpenQuantity }));

test("an open document is closed or cancelled, one that was drawn from is only closed", () => {
  assert.deepEqual(actionsFor(ALL, { DocumentStatus: "bost_Open", DocumentLines: lines(2, 2) }), ["Close", "Cancel", "CreateCancellationDocument"]);
  assert.deepEqual(actionsFor(ALL, { DocumentStatus: "bost_Open", DocumentLines: lines(2, 1) }), ["Close"]);
  assert.deepEqual(actionsFor(ALL, { DocumentStatus: "bost_Open", PaidToDate: 1, DocumentLines: lines(2) }), ["Close", "Cancel"]);
});

test("a closed document is opened again while something of it is open, a cancelled one never", () => {
  assert.deepEqual(actionsFor(["Close", "Cancel", "Reopen"], { DocumentStatus: "bost_Close", DocumentLines: lines(2, 0) }), ["Reopen"]);
  assert.deepEqual(actionsFor(ALL, { DocumentStatus: "bost_Close", DocumentLines: lines(0, 0) }), []);
  assert.deepEqual(actionsFor(ALL, { DocumentStatus: "bost_Close", Cancelled: "tYES", DocumentLines: lines(2) }), []);
  assert.deepEqual(actionsFor(ALL, { DocumentStatus: "bost_Close", CancelStatus: "csCancellation", DocumentLines: lines(2) }), []);
});

test("a payment is cancelled once, and an action that the console doesn't know is offered", () => {
  assert.deepEqual(actionsFor(["Cancel"], { Cancelled: "tNO", PaymentInvoices: [] }), ["Cancel"]);
  assert.deepEqual(actionsFor(["Cancel"], { Cancelled: "tYES", PaymentInvoices: [] }), []);
  assert.deepEqual(actionsFor(["Approve", "toString"], { DocumentStatus: "bost_Close" }), ["Approve", "toString"]);
});

test("what an action will do is told for each kind of record", () => {
  assert.match(effectOf("Orders", "Cancel"), /documento queda anulado/);
  assert.match(effectOf("IncomingPayments", "Cancel"), /cobro/);
  assert.deepEqual([effectOf("Orders", "Approve"), effectOf("toString", "toString")], [null, null]);
});
