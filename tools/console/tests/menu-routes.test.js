import assert from "node:assert/strict";
import { test } from "node:test";

import { allows, gainOf, giving, givingWrite, taking, treeOf, unknownOf } from "../../../deploy/console/modules/views/admin/menu-routes.js";

const known = (title, read, write = null, kind = "resource") => ({ kind, title, read, write });
const KNOWN = [
  known("Artículos", null, "/inventario/articulos/editar"),
  known("Pedidos", "/ventas/pedidos", "/ventas/pedidos/editar"),
  known("Entregas", "/ventas/entregas", "/ventas/entregas/editar"),
  known("Pedido", "/ventas/pedidos", null, "query"),
  known("Socios", "/socios", "/socios/editar"),
  known("Actividades", "/socios/actividades", "/socios/actividades/editar"),
  known("Rutas", "/propio/rutas"),
];
const SCREENS = treeOf(KNOWN).flatMap(({ screens }) => screens);
const at = (path) => SCREENS.find((screen) => screen.path === path);

test("a branch allows what is below it and itself, and nothing that begins alike", () => {
  const routes = ["/x", "/x/y", "/x/y/z", "/x-y", "/xy"];
  assert.deepEqual(routes.map((route) => allows("/x/*", route)), [true, true, true, false, false]);
  assert.deepEqual(routes.map((route) => allows("/x", route)), [true, false, false, false, false]);
  assert.ok(routes.every((route) => allows("*", route)));
});

test("screens stand in the parts of the work, the usual ones first, each with all that its route allows", () => {
  const tree = treeOf(KNOWN).map(({ area, screens }) => [area, screens.map(({ path }) => path)]);
  assert.deepEqual(tree, [["ventas", ["/ventas/entregas", "/ventas/pedidos"]], ["inventario", ["/inventario/articulos"]], ["socios", ["/socios", "/socios/actividades"]], ["propio", ["/propio/rutas"]]]);
  assert.deepEqual(at("/ventas/pedidos").known.map(({ title }) => title), ["Pedidos", "Pedido"]);
  assert.deepEqual([at("/inventario/articulos").read, at("/inventario/articulos").writes], [null, ["/inventario/articulos/editar"]]);
});

test("to write a screen is to have its branch, unless something else lies in it", () => {
  assert.deepEqual(givingWrite(["/ventas/pedidos", "/otra"], at("/ventas/pedidos"), SCREENS), ["/otra", "/ventas/pedidos/*"]);
  assert.deepEqual(givingWrite([], at("/inventario/articulos"), SCREENS), ["/inventario/articulos/*"]);
  assert.deepEqual(givingWrite(["/socios"], at("/socios"), SCREENS), ["/socios", "/socios/editar"]);
  assert.deepEqual(givingWrite(["/ventas/pedidos", "/ventas/pedidos/aprobar"], at("/ventas/pedidos"), SCREENS), ["/ventas/pedidos/aprobar", "/ventas/pedidos/*"]);
});

test("what was given singly is there again when a branch above it is taken away", () => {
  const before = ["/ventas/pedidos/*", "/ventas/app"];
  const given = giving(before, ["/ventas/*"]);
  assert.deepEqual(given, [...before, "/ventas/*"]);
  assert.deepEqual(given.filter((each) => each !== "/ventas/*"), before);
  assert.deepEqual(giving(["/socios"], ["*"]), ["/socios", "*"]);
});

test("taken from a branch, what else is known of it stays", () => {
  assert.deepEqual(taking(["/ventas/pedidos/*"], ["/ventas/pedidos/editar"], SCREENS), ["/ventas/pedidos"]);
  assert.deepEqual(taking(["/ventas/*", "/otra"], ["/ventas/pedidos/editar"], SCREENS), ["/ventas/entregas/*", "/ventas/pedidos", "/otra"]);
  assert.deepEqual(taking(["/socios/*"], ["/socios", "/socios/editar"], SCREENS), ["/socios/actividades/*"]);
  assert.deepEqual(taking(["/ventas/pedidos", "/ventas/pedidos/editar"], ["/ventas/pedidos", "/ventas/pedidos/editar"], SCREENS), []);
});

test("patterns that nothing asks for are unknown", () => {
  assert.deepEqual(unknownOf(["*", "/ventas/*", "/ventas/pedidos", "/vetnas/*", "/ventas", "ventas"], KNOWN), ["/vetnas/*", "/ventas", "ventas"]);
});

test("what somebody gains is told by title, once, and nothing that they have already", () => {
  assert.deepEqual(gainOf(["/ventas/pedidos"], ["/ventas/*"], KNOWN), { administers: false, reads: ["Entregas"], writes: ["Pedidos", "Entregas"] });
  assert.deepEqual(gainOf(["/ventas/*"], ["/ventas/pedidos/*", "/ventas/entregas/*"], KNOWN), { administers: false, reads: [], writes: [] });
  assert.deepEqual(gainOf([], ["/ventas/pedidos"], KNOWN), { administers: false, reads: ["Pedidos", "Pedido"], writes: [] });
  assert.equal(gainOf(["/ventas/*"], ["*"], KNOWN).administers, true);
});
