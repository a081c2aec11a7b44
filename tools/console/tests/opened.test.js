import assert from "node:assert/strict";
import { test } from "node:test";

import { dropOpened, noteOpened, readOpened } from "../../../deploy/console/modules/session/opened.js";

test("one name in both services has each record once, and signing out of one leaves the other's", () => {
  const kept = new Map();
  const store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  Object.defineProperty(globalThis, "sessionStorage", { value: store, configurable: true });
  const [gateway, returns] = ["/api", "/devoluciones/api"].map((base) => ({ base, person: () => "bodega" }));
  noteOpened(gateway, "/erp/Orders/1", "Pedido 1");
  noteOpened(returns, "/devoluciones/2", "Planificación 2");
  const shown = (...services) => readOpened(services).map(({ href }) => href).sort();
  assert.deepEqual(shown(gateway, returns), ["#/devoluciones/2", "#/erp/Orders/1"]);
  dropOpened(gateway);
  assert.deepEqual(shown(gateway, returns), ["#/devoluciones/2"]);
});
