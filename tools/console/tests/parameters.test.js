import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, normalParameters, valuesOf } from "../../../deploy/console/modules/components/parameters/values.js";

const PARAMETERS = normalParameters([
  { name: "desde", type: "date", input: { kind: "date", default: "2026-01-01" } },
  { name: "monto", type: "number", isRange: true },
  { name: "todas", type: "xsd:boolean", input: { kind: "boolean" } },
  { name: "bodega", type: "string", input: { kind: "text", default: "01" } },
]);

test("an address gives back the values that made it, and none of the defaults", () => {
  const values = { desde: "2026-02-01", monto: { from: "1,5", to: "" }, todas: true, bodega: "" };
  const query = new URLSearchParams(Object.entries(addressOf(PARAMETERS, values)).filter(([, value]) => value !== ""));
  assert.equal(String(query), "desde=2026-02-01&monto.from=1%2C5&todas=true");
  assert.deepEqual(valuesOf(PARAMETERS, query), values);
});

test("without any in the address a form begins with its defaults", () => {
  assert.deepEqual(valuesOf(PARAMETERS, new URLSearchParams("otra=1")), { desde: "2026-01-01", monto: { from: "", to: "" }, todas: false, bodega: "01" });
});
