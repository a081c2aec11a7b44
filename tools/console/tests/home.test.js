import assert from "node:assert/strict";
import { test } from "node:test";

import { actionsOf } from "../../../deploy/console/modules/views/today/main-actions.js";
import { conditionsOf, hrefOfCard } from "../../../deploy/console/modules/views/today/card-links.js";

test("a card leads to the list of what it counts, where a list can show that", () => {
  assert.deepEqual(conditionsOf("DocumentStatus eq 'bost_Open' and DocDueDate lt '2026-03-01'"), [
    { name: "DocumentStatus", operator: "eq", value: "bost_Open" }, { name: "DocDueDate", operator: "le", value: "2026-02-28" },
  ]);
  assert.deepEqual(conditionsOf("CardName eq 'O''Hara and Co' and DocTotal gt 10.5"), [{ name: "CardName", operator: "eq", value: "O'Hara and Co" }, { name: "DocTotal", operator: "gt", value: "10.5" }]);
  assert.deepEqual([conditionsOf("QuantityOnStock lt MinInventory"), conditionsOf("A eq 1 or B eq 2"), conditionsOf("DocDueDate gt '2026-01-01'"), conditionsOf(null)], [null, null, null, []]);
  assert.equal(hrefOfCard({ resource: "Items", filter: "QuantityOnStock lt MinInventory" }), "#/erp/Items");
  assert.equal(hrefOfCard({ resource: null, filter: null }), null);
});

test("the two large actions are what the person may do", () => {
  const offer = (...names) => ({ items: names.map((name) => ({ name, methods: ["GET", "POST"], singular: name })) });
  const hrefs = (...given) => actionsOf(...given).map(({ href }) => href);
  assert.deepEqual(hrefs(offer("Quotations", "Orders"), false), ["#/crear/Orders", "#/erp"]);
  assert.deepEqual(hrefs(offer("Quotations"), true), ["#/crear/Quotations", "#/devoluciones/nueva"]);
  assert.deepEqual(hrefs({ items: [{ name: "Orders", methods: ["GET"] }] }, false), ["#/erp", "#/informes"]);
  assert.deepEqual([hrefs(undefined, true), hrefs(offer(), false), hrefs(undefined, false)], [["#/devoluciones/nueva", "#/devoluciones"], ["#/informes"], []]);
});
