import assert from "node:assert/strict";
import { test } from "node:test";

import { givingRole, hasRole, inWords, isRoleFixed, lacksOf, permissionsWith, takingRole } from "../../../deploy/console/modules/views/admin/roles.js";

const resource = (title, read, write, needs = []) => ({ kind: "resource", title, read, write, needs });
const KNOWN = [
  resource("Pedidos de venta", "/ventas/pedidos", "/ventas/pedidos/editar", ["/socios", "/inventario/articulos"]),
  resource("Facturas de venta", "/ventas/facturas", "/ventas/facturas/editar", ["/socios"]),
  resource("Socios", "/socios", "/socios/editar"),
  resource("Artículos", "/inventario/articulos", null),
];
const SALES = { name: "Ventas", description: null, paths: ["/ventas/*", "/socios"] };
const DESK = { name: "Mostrador", description: "Pedidos", paths: ["/ventas/pedidos", "/socios"] };
const CATALOGUE = { known: KNOWN, roles: [SALES, DESK] };

test("a role is given by its routes, and taken without what another role gives", () => {
  assert.deepEqual(givingRole(["/x"], SALES), ["/x", "/ventas/*", "/socios"]);
  assert.equal(hasRole(["/ventas/*"], SALES), false);
  assert.deepEqual(takingRole(["/x", "/ventas/*", "/ventas/pedidos", "/socios"], DESK, [SALES, DESK]), ["/x", "/ventas/*", "/socios"]);
  assert.deepEqual(takingRole(["/ventas/*", "/socios"], SALES, [SALES]), []);
});

test("a role that broader routes give can't be taken by itself, and a role of nothing is never given", () => {
  assert.deepEqual([isRoleFixed(["/ventas/*", "/socios"], DESK), isRoleFixed(["*"], SALES), isRoleFixed(["/ventas/*", "/socios"], SALES)], [true, true, false]);
  assert.equal(hasRole(["*"], { name: "Nada", description: null, paths: [] }), false);
});

test("what is written without what its forms look up is named, what is only read is not", () => {
  assert.deepEqual(lacksOf(["/ventas/pedidos"], KNOWN), []);
  assert.deepEqual(lacksOf(["/ventas/pedidos/*", "/inventario/*"], KNOWN), [{ title: "Pedidos de venta", routes: ["/socios"], lacks: ["Socios"] }]);
  assert.deepEqual(lacksOf(["*"], KNOWN), []);
  assert.deepEqual(lacksOf(["/ventas/pedidos/*"], [{ ...KNOWN[0], needs: undefined }]), []);
});

test("permissions in words name roles and areas first, and what is given besides", () => {
  assert.deepEqual(inWords(["/ventas/*", "/socios", "/inventario/articulos"], CATALOGUE), { administers: false, roles: ["Ventas", "Mostrador"], areas: [], reads: ["Artículos"], writes: [], unknown: [] });
  assert.deepEqual(inWords(["/ventas/*"], CATALOGUE), { administers: false, roles: [], areas: ["Ventas"], reads: [], writes: [], unknown: [] });
  assert.deepEqual(inWords(["/ventas/pedidos/*", "/otra"], CATALOGUE), { administers: false, roles: [], areas: [], reads: [], writes: ["Pedidos de venta"], unknown: ["/otra"] });
  assert.equal(inWords(["*"], CATALOGUE).administers, true);
});

test("people are found by name, route, role or title, whatever the accents", () => {
  const all = [{ webUser: "inés", paths: ["/ventas/pedidos", "/socios"] }, { webUser: "raul", paths: ["/inventario/articulos"] }];
  const found = (text, catalogue = CATALOGUE) => permissionsWith(all, text, catalogue).map(({ webUser }) => webUser);
  assert.deepEqual([found("INES"), found("mostrador"), found("articulos"), found(" "), found("nadie")], [["inés"], ["inés"], ["raul"], ["inés", "raul"], []]);
  assert.deepEqual(found("/socios", null), ["inés"]);
});
