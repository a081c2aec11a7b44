"""Permissions by role and in words, and what the console warns of before they are saved."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from stack.exchange import Answer
from tools.browser.accessibility import violations
from tools.browser.launching import PHONE
from tools.browser.people import open_page, sign_in

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
SALES = {"name": "Vender", "description": "Pedidos y sus socios", "paths": ["/ventas/pedidos/*", "/socios"]}
STORE = {"name": "Bodega <b>1</b>", "description": None, "paths": ["/inventario/*"]}


def with_roles(route: Route) -> None:
    """Let the installation name two roles, and orders need partners."""
    answer = route.fetch()
    body = answer.json()
    body["roles"] = [SALES, STORE]
    for each in body["items"]:
        each["needs"] = ["/socios"] if each["title"] == "Pedidos de venta" else []
    route.fulfill(response=answer, json=body)


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator at the permissions, where the installation names roles."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.route("**/api/menu-routes", with_roles)
    open_page(page, "/permisos")
    return page


def test_a_role_is_given_with_three_clicks_and_shown_by_its_name(office: Page, program: Ask) -> None:
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("diego")
    dialog.get_by_label("Vender").check()
    assert violations(office) == []
    dialog.get_by_role("button", name="Guardar").click()
    expect(office.get_by_role("row").filter(has_text="diego")).to_contain_text("Vender")
    assert program("GET", "/api/permissions/diego").body["paths"] == SALES["paths"]
    office.get_by_role("button", name="Cambiar los permisos de diego").click()
    dialog.get_by_label("Bodega <b>1</b>").check()
    dialog.get_by_label("Vender").uncheck()
    dialog.get_by_role("button", name="Guardar").click()
    expect(office.get_by_role("row").filter(has_text="diego")).to_contain_text("Bodega <b>1</b>")
    assert program("GET", "/api/permissions/diego").body["paths"] == STORE["paths"]
    assert program("DELETE", "/api/permissions/diego").status == 204


def test_orders_without_partners_are_warned_of_and_added_at_once(office: Page, program: Ask) -> None:
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("diego")
    dialog.get_by_label("Rutas").fill("/ventas/pedidos/*")
    expect(dialog.get_by_text("Pedidos de venta necesita leer:")).to_be_visible()
    dialog.get_by_role("button", name="Guardar").click()
    expect(dialog.get_by_text("Faltan permisos para trabajar con lo elegido.")).to_be_visible()
    assert program("GET", "/api/permissions/diego").status == 404
    dialog.get_by_role("button", name="Agregar lo que falta").click()
    expect(dialog.get_by_text("Pedidos de venta necesita leer:")).to_have_count(0)
    dialog.get_by_role("button", name="Guardar", exact=True).click()
    expect(dialog).to_have_count(0)
    assert program("GET", "/api/permissions/diego").body["paths"] == ["/ventas/pedidos/*", "/socios"]
    assert program("DELETE", "/api/permissions/diego").status == 204


def test_permissions_are_copied_from_another_person(office: Page, program: Ask) -> None:
    assert program("PUT", "/api/permissions/mario", {"paths": ["/ventas/*", "/otra/app"]}).status == 200
    office.reload()
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("diego")
    dialog.get_by_label("Copiar de").select_option("mario")
    expect(dialog.get_by_label("Rutas")).to_have_value("/ventas/*\n/otra/app")
    assert program("DELETE", "/api/permissions/mario").status == 204


def test_the_list_is_searched_by_person_and_by_what_they_may_use(person: OpenPerson, program: Ask) -> None:
    assert program("PUT", "/api/permissions/mario", {"paths": ["/ventas/pedidos"]}).status == 200
    phone = person(PHONE)
    open_page(phone)
    sign_in(phone, "gateway", "ana", "ana-demo")
    open_page(phone, "/permisos")
    rows = phone.get_by_role("row").filter(has_text="mario")
    expect(rows).to_contain_text("Leer o usar: Pedidos de venta.")
    phone.get_by_label("Buscar").fill("PEDIDOS")
    expect(rows).to_have_count(1)
    phone.get_by_label("Buscar").fill("nadie con esto")
    expect(phone.get_by_text("Nadie con eso.")).to_be_visible()
    assert violations(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert program("DELETE", "/api/permissions/mario").status == 204
