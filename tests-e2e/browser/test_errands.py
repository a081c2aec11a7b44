"""Errands with their clicks, as docs/console.md states them: documents to their end, rights, money owed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from stack.exchange import Answer
from tools.browser.launching import PHONE, WIDE
from tools.browser.people import open_page

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
DOCS = Path(__file__).parents[2] / "docs/console.md"
COUNTER = """
window.addEventListener("pointerdown", (event) => {
  if (event.isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true);
"""


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def office(request: pytest.FixtureRequest, person: OpenPerson) -> Page:
    """An administrator who has just signed in, with a click and the keyboard; clicks are counted."""
    page = person(request.param)
    page.add_init_script(COUNTER)
    open_page(page)
    page.get_by_label("Usuario web").click()
    page.keyboard.insert_text("ana")
    page.keyboard.press("Tab")
    page.keyboard.insert_text("ana-demo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Trabajos")).to_be_visible()
    return page


def clicks(page: Page) -> int:
    """Return how often the mouse was pressed; a phone's menu is opened by its key, and is one click more."""
    return int(page.evaluate("sessionStorage.clicks ?? 0"))


def documented(errand: str) -> int:
    """Return the clicks that the documentation states."""
    (row,) = re.findall(rf"^\| {errand}: .*\| (\d+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    return int(row)


def go_to(page: Page, title: str) -> None:
    """Open a page by the navigation, on a phone by the menu."""
    menu = page.get_by_role("button", name="Menú")
    if menu.is_visible():
        menu.press("Enter")
    page.get_by_role("navigation", name="Principal").get_by_role("link", name=title, exact=True).click()


def open_order(page: Page, program: Ask, order: int) -> None:
    """Open the newest order from the list."""
    number = program("GET", f"/api/sl/Orders/{order}?$select=DocNum").body["DocNum"]
    go_to(page, "Pedidos de venta")
    page.get_by_role("link", name=str(number), exact=True).click()


@pytest.fixture
def paid_order(program: Ask, order: int) -> tuple[int, int]:
    """An order that was delivered, invoiced and paid in part; its entry and the payment's number."""

    def draw(resource: str, base: int, number: int) -> int:
        lines = [{"BaseType": number, "BaseEntry": base, "BaseLine": 0}]
        made = program("POST", f"/api/sl/{resource}", {"CardCode": "C00001", "DocumentLines": lines})
        entry: int = made.body["DocEntry"]
        return entry

    invoice = draw("Invoices", draw("DeliveryNotes", order, 17), 15)
    rows = [{"DocEntry": invoice, "InvoiceType": "it_Invoice", "SumApplied": 50}]
    body = {"CardCode": "C00001", "TransferSum": 50, "PaymentInvoices": rows}
    return order, program("POST", "/api/sl/IncomingPayments", body).body["DocNum"]


def test_an_order_is_followed_to_its_payment(office: Page, program: Ask, paid_order: tuple[int, int]) -> None:
    order, payment = paid_order
    open_order(office, program, order)
    office.get_by_role("button", name="Ver el flujo").click()
    for kind in ("Entrega", "Factura de venta"):
        office.get_by_role("button", name=re.compile(f"^Seguir desde {kind}")).click()
    expect(office.get_by_role("link", name=f"Cobro {payment}")).to_be_visible()
    assert clicks(office) == documented("A flow")


def test_an_order_becomes_a_delivery_and_an_invoice(office: Page, program: Ask, order: int) -> None:
    open_order(office, program, order)
    for kind in ("Entrega", "Factura de venta"):
        office.get_by_role("group", name="Copiar a").get_by_role("link", name=kind).click()
        office.get_by_role("button", name="Crear", exact=True).click()
        expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(rf"^{kind} \d+"))
    assert clicks(office) == documented("A copy")


def test_an_order_is_cancelled(office: Page, program: Ask, order: int) -> None:
    open_order(office, program, order)
    office.locator(".page-head").get_by_role("button", name="Anular", exact=True).click()
    office.get_by_role("dialog").get_by_role("button", name="Anular", exact=True).click()
    expect(office.locator(".page-head")).to_contain_text("Anulado")
    assert clicks(office) == documented("A cancellation")


def test_a_new_person_gets_a_role(office: Page, program: Ask) -> None:
    go_to(office, "Permisos")
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Usuario web").click()
    office.keyboard.insert_text("diego")
    dialog.get_by_role("group", name="Roles").get_by_label("Ventas", exact=True).check()
    dialog.get_by_role("button", name="Guardar", exact=True).click()
    expect(office.get_by_role("row").filter(has_text="diego")).to_contain_text("Ventas")
    assert clicks(office) == documented("A role")
    assert program("DELETE", "/api/permissions/diego").status == 204


def test_what_a_partner_owes_is_seen(office: Page, program: Ask, order: int) -> None:
    open_order(office, program, order)
    office.locator(".page-head p").get_by_role("link").click()
    office.get_by_role("button", name="Ver facturas por antigüedad").click()
    expect(office.get_by_role("region", name="Cuenta")).to_contain_text("Más de 90 días")
    assert clicks(office) == documented("An account")


def test_two_people_change_one_order_and_both_changes_stay(office: Page, program: Ask, order: int) -> None:
    open_order(office, program, order)
    office.get_by_role("button", name="Cambiar", exact=True).click()
    office.get_by_label("Comentarios").click()
    office.keyboard.insert_text("lo mío")
    assert program("PATCH", f"/api/sl/Orders/{order}", {"NumAtCard": "OC-1"}).status == 204
    office.get_by_role("button", name="Guardar cambios").click()
    office.get_by_role("button", name="Guardar lo elegido").click()
    expect(office.get_by_text("lo mío")).to_be_visible()
    assert clicks(office) == documented("A conflict")
