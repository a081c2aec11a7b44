"""Tasks of administrators: permissions, sessions, audit, and the state of the system."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect
from stack.exchange import Answer
from tools.browser.people import open_page, sign_in

Ask = Callable[..., Answer]


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def test_permissions_are_given_corrected_and_taken_by_the_keyboard(office: Page) -> None:
    open_page(office, "/permisos")
    giving = office.get_by_role("button", name="Dar permisos")
    expect(giving).to_be_enabled()
    giving.press("Enter")
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("nadia")
    dialog.get_by_label("Rutas").fill("ventas")
    dialog.get_by_role("button", name="Guardar").press("Enter")
    dialog.get_by_role("button", name="Guardar de todos modos").press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("paths[0]")
    dialog.get_by_label("Rutas").fill("/ventas/*")
    dialog.get_by_role("button", name="Guardar de todos modos").press("Enter")
    expect(office.get_by_role("row").filter(has_text="nadia")).to_contain_text("Todo en Ventas")
    office.get_by_role("button", name="Cambiar los permisos de nadia").press("Enter")
    dialog.get_by_label("Rutas").fill("/compras/*")
    expect(dialog.get_by_text("Gana: /compras/*")).to_be_visible()
    expect(dialog.get_by_text("Pierde: /ventas/*")).to_be_visible()
    office.get_by_role("button", name="Quitar todos").press("Enter")
    expect(office.get_by_role("row").filter(has_text="nadia")).to_have_count(1)
    office.get_by_role("button", name="Sí, quitar todos").press("Enter")
    expect(office.get_by_role("row").filter(has_text="nadia")).to_have_count(0)


def test_permissions_are_chosen_in_a_tree_of_the_installations_routes(office: Page, program: Ask) -> None:
    open_page(office, "/permisos")
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("diego")
    routes = dialog.get_by_label("Rutas")
    dialog.get_by_text("Ventas nada").click()
    dialog.get_by_label("Leer Pedidos de venta").check()
    expect(routes).to_have_value("/ventas/pedidos")
    expect(dialog.get_by_text("Ventas leer 1")).to_be_visible()
    dialog.get_by_label("Escribir Pedidos de venta").check()
    expect(routes).to_have_value("/ventas/pedidos/*")
    dialog.get_by_label("Todo en Ventas, también lo que se agregue").check()
    expect(routes).to_have_value("/ventas/pedidos/*\n/ventas/*")
    expect(dialog.get_by_label("Leer Facturas de venta")).to_be_checked()
    dialog.get_by_label("Escribir Facturas de venta").uncheck()
    expect(routes).to_have_value(re.compile(r"^/ventas/facturas$", re.MULTILINE))
    expect(routes).to_have_value(re.compile(r"^/ventas/pedidos/\*$", re.MULTILINE))
    expect(dialog.get_by_label("Leer Facturas de venta")).to_be_checked()
    dialog.get_by_label("Todo, también administrar").check()
    expect(dialog.get_by_label("Leer Facturas de venta")).to_be_disabled()
    dialog.get_by_label("Todo, también administrar").uncheck()
    routes.fill("/ventas/pedidos")
    dialog.get_by_role("button", name="Guardar").click()
    expect(office.get_by_role("row").filter(has_text="diego")).to_contain_text("Pedidos de venta")
    assert program("GET", "/api/permissions/diego").body["paths"] == ["/ventas/pedidos"]
    assert program("DELETE", "/api/permissions/diego").status == 204


def test_the_permission_tree_works_with_the_keyboard_and_lists_the_changes(
    office: Page, program: Ask
) -> None:
    assert program("PUT", "/api/permissions/diego", {"paths": ["/compras/*"]}).status == 200
    open_page(office, "/permisos")
    office.get_by_role("button", name="Cambiar los permisos de diego").press("Enter")
    dialog = office.get_by_role("dialog")
    expect(dialog.get_by_label("Leer Pedidos de compra")).to_be_visible()  # opened where there is something
    expect(dialog.get_by_label("Leer Pedidos de venta")).to_be_hidden()
    dialog.get_by_label("Leer Pedidos de compra").press("Space")
    expect(dialog.get_by_text("Leer o usar: Pedidos de compra.")).to_be_visible()
    expect(dialog.get_by_text("Escribir: Pedidos de compra.")).to_be_visible()
    dialog.get_by_text("Ventas nada").press("Enter")
    dialog.get_by_label("Leer Pedidos de venta").press("Space")
    expect(dialog.get_by_text(re.compile(r"Leer o usar: .*Pedidos de venta\.$"))).to_be_visible()
    dialog.get_by_role("button", name="Agregar lo que falta").press("Enter")
    dialog.get_by_role("button", name="Guardar").press("Enter")
    expect(office.get_by_role("row").filter(has_text="diego")).to_contain_text("Pedidos de venta")
    paths = program("GET", "/api/permissions/diego").body["paths"]
    assert "/compras/facturas/*" in paths
    assert not [each for each in paths if each.startswith("/compras/pedidos")]
    assert program("DELETE", "/api/permissions/diego").status == 204


def test_incomplete_permissions_are_not_saved_and_changes_of_others_are_shown(
    office: Page, program: Ask
) -> None:
    held = partial(program, "GET", "/api/permissions/diego")
    assert program("PUT", "/api/permissions/diego", {"paths": ["/ventas/pedidos"]}).status == 200
    open_page(office, "/permisos")
    office.get_by_role("button", name="Cambiar los permisos de diego").click()
    dialog = office.get_by_role("dialog")
    invoices = dialog.get_by_label("Leer Facturas de venta")
    invoices.press("Enter")  # a key that sends the form elsewhere
    expect(invoices).to_be_visible()
    dialog.get_by_role("button", name="Quitar todos").click()
    expect(dialog.get_by_role("button", name="Guardar")).to_be_disabled()
    invoices.check()
    expect(dialog.get_by_role("button", name="Quitar todos", exact=True)).to_be_visible()
    assert program("PUT", "/api/permissions/diego", {"paths": ["/compras/pedidos"]}).status == 200
    dialog.get_by_role("button", name="Guardar").click()
    expect(dialog.get_by_text("Otra persona cambió los permisos de diego")).to_be_visible()
    expect(dialog).to_contain_text("Las rutas de arriba reemplazarán a las de ahora: /compras/pedidos")
    assert held().body["paths"] == ["/compras/pedidos"]
    dialog.get_by_role("button", name="Reemplazar").click()
    expect(dialog).to_have_count(0)
    assert sorted(held().body["paths"]) == ["/ventas/facturas", "/ventas/pedidos"]
    assert program("DELETE", "/api/permissions/diego").status == 204


def test_unused_routes_cause_a_warning(office: Page, program: Ask) -> None:
    open_page(office, "/permisos")
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("diego")
    dialog.get_by_label("Rutas").fill("/vetnas/*\n/ventas/pedidos")
    expect(dialog.get_by_text("Una ruta no se conoce aquí")).to_be_visible()
    dialog.get_by_role("button", name="Guardar").click()  # it may be another application's
    row = office.get_by_role("row").filter(has_text="diego")
    expect(row).to_contain_text("Ruta desconocida /vetnas/*")
    assert program("DELETE", "/api/permissions/diego").status == 204


def test_saving_permissions_of_an_unknown_name_asks_first(office: Page, program: Ask) -> None:
    open_page(office, "/permisos")
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("Carmne")
    dialog.get_by_label("Rutas").fill("/ventas/*")
    dialog.get_by_role("button", name="Guardar").click()
    expect(dialog.get_by_text("En el ERP nadie se llama Carmne.")).to_be_visible()
    assert "Carmne" not in [each["webUser"] for each in program("GET", "/api/permissions").body["items"]]
    dialog.get_by_label("Usuario web").fill("carmen")
    expect(dialog.get_by_text("En el ERP nadie se llama")).to_have_count(0)
    dialog.get_by_label("Usuario web").fill("Carmne")
    dialog.get_by_role("button", name="Guardar").click()
    dialog.get_by_role("button", name="Guardar de todos modos").click()
    expect(office.get_by_role("row").filter(has_text="Carmne")).to_contain_text("Todo en Ventas")
    assert program("DELETE", "/api/permissions/Carmne").status == 204


def test_people_are_chosen_from_those_of_the_erp(office: Page, program: Ask) -> None:
    known = program("GET", "/api/people").body["items"]
    open_page(office, "/permisos")
    with office.expect_response("**/api/people"):
        office.get_by_role("button", name="Dar permisos").click()
    office.get_by_label("Usuario web").press("ArrowDown")  # with nothing typed all are offered
    offered = office.get_by_role("dialog").get_by_role("listbox").get_by_role("option")
    expect(offered).to_have_count(sum(each["active"] for each in known))
    first = next(each for each in known if each["active"])
    expect(offered.first).to_have_text(f"{first['webUser']} · {first['fullName']}")


def test_without_the_erps_people_known_users_are_offered(office: Page) -> None:
    office.route("**/api/people", lambda route: route.fulfill(status=503, json={"code": "erp_unavailable"}))
    open_page(office, "/permisos")
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill("Carmne")
    dialog.get_by_role("button", name="Guardar").click()
    expect(dialog.get_by_text("Nadie ha entrado como Carmne.")).to_be_visible()


def test_current_permissions_are_shown_before_they_are_replaced(office: Page, program: Ask) -> None:
    assert program("PUT", "/api/permissions/mario", {"paths": ["/compras/*"]}).status in (200, 201, 204)
    open_page(office, "/permisos")
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").fill(" mario ")
    dialog.get_by_label("Rutas").fill("/ventas/*")
    dialog.get_by_role("button", name="Guardar").click()
    expect(dialog.get_by_text("mario ya tiene permisos.")).to_be_visible()
    expect(dialog.get_by_text("/compras/*")).to_be_visible()
    row = office.get_by_role("row").filter(has_text="mario")
    expect(row).to_contain_text("Todo en Compras")
    dialog.get_by_role("button", name="Reemplazar").click()
    expect(row).to_contain_text("Todo en Ventas")
    expect(row).to_have_count(1)
    assert program("DELETE", "/api/permissions/mario").status == 204


def test_lifting_a_block_ignores_blanks_around_the_name(office: Page) -> None:
    open_page(office, "/sesiones")
    office.get_by_label("Usuario web").fill(" mario ")
    with office.expect_request(lambda each: each.method == "DELETE") as lifted:
        office.get_by_role("button", name="Levantar el bloqueo").click()
    assert lifted.value.url.endswith("/api/login-blocks/mario")


def test_an_ended_session_is_announced_to_its_user(office: Page, program: Ask) -> None:
    open_page(office, "/sesiones")
    office.get_by_role("button", name="Terminar la sesión de carmen").click()
    office.get_by_role("dialog").get_by_role("button", name="Terminar").click()
    expect(office.get_by_role("row").filter(has_text="carmen")).to_have_count(0)
    assert program("GET", "/api/auth/me").status == 401


def test_times_are_in_the_companys_zone_in_every_browser(person: Callable[..., Page], program: Ask) -> None:
    page = person(zone="Asia/Tokyo")
    open_page(page, "/sesiones")
    sign_in(page, "gateway", "ana", "ana-demo")
    (session,) = [each for each in program("GET", "/api/sessions").body["items"] if each["webUser"] == "ana"]
    entered = datetime.fromisoformat(session["signedInAt"]).astimezone(ZoneInfo("America/Santiago"))
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="ana"))
    expect(row).to_contain_text(f"{entered:%d-%m-%Y, %H:%M}")


def test_the_audit_can_be_filtered(office: Page) -> None:
    open_page(office, "/auditoria")
    office.get_by_label("Usuario").fill("ana")
    office.get_by_label("Acción").select_option("Entró")
    office.keyboard.press("Enter")
    office.get_by_role("button", name="Filtrar").click()
    expect(office.get_by_role("row").filter(has_text="Entró").first).to_contain_text("ana")
    expect(office.get_by_role("row").filter(has_text="Creó")).to_have_count(0)


def test_the_conditions_of_the_audit_are_those_of_its_address(office: Page) -> None:
    open_page(office, "/auditoria?usuario=ana")
    expect(office.get_by_label("Usuario")).to_have_value("ana")
    office.get_by_role("navigation").get_by_role("link", name="Auditoría").click()
    expect(office.get_by_label("Usuario")).to_have_value("")


def test_the_system_page_refreshes_and_shows_outage_and_recovery_of_the_erp(
    office: Page, control: Ask
) -> None:
    open_page(office, "/sistema")
    expect(office.get_by_text("El ERP responde.")).to_be_visible()
    expect(office.get_by_role("img", name="Esperan al ERP")).to_be_visible()
    control("POST", "/faults", {"action": {"kind": "bad-gateway"}, "times": None})
    try:
        expect(office.locator(".note-box.bad")).to_be_visible(timeout=60_000)
    finally:
        control("DELETE", "/faults")
    expect(office.get_by_text("El ERP responde.")).to_be_visible(timeout=60_000)
