"""Whole errands, compared with the clicks that docs/console.md states."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.people import open_page, paste, search_box
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
PAGE = Path(__file__).parents[2] / "docs/console.md"
_COUNTER = """
window.addEventListener("pointerdown", (event) => {
  if (event.isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true);
"""


@pytest.fixture
def counted(page: Page) -> Page:
    """The first page, with nobody signed in, where clicks are counted."""
    page.add_init_script(_COUNTER)
    open_page(page)
    return page


def clicks_of(page: Page) -> int:
    """Return how often the mouse was pressed."""
    return int(page.evaluate("sessionStorage.clicks ?? 0"))


def told(errand: str) -> int:
    """Return the clicks that the page of the docs tells of an errand."""
    (row,) = re.findall(rf"^\| {errand}: .*\| (\d+) \|$", PAGE.read_text(), re.MULTILINE)
    return int(row)


def enter(page: Page, label: str, user: str, password: str) -> None:
    """Sign in: a click into the first field, then the keyboard."""
    page.get_by_label(label).click()
    page.keyboard.insert_text(user)
    page.keyboard.press("Tab")
    page.keyboard.insert_text(password)
    page.keyboard.press("Enter")
    page.get_by_label(label).wait_for(state="detached")


def plan(page: Page, user: str, rows: str) -> None:
    """Go where a sheet is pasted, sign in there, paste it and save the planning."""
    page.get_by_role("navigation").get_by_role("link", name="Nueva devolución").click()
    enter(page, "Usuario del ERP", user, ERP_PASSWORD)
    page.get_by_label("Bodega").select_option("01")
    page.get_by_label("Planilla").click()
    paste(page, page.get_by_label("Planilla"), f"Código\tCantidad\r\n{rows}")
    page.get_by_role("button", name="Guardar planificación").click()


def execute_and_open(page: Page) -> None:
    """Execute the planning and open its joined PDF in another tab."""
    page.get_by_role("button", name="Ejecutar").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    page.get_by_role("button", name="Ver documentos tributarios").click()
    link = page.get_by_role("link", name="Abrir en otra pestaña")
    expect(link).to_have_attribute("href", re.compile("^blob:"))
    with page.expect_popup() as paper:
        link.click()
    paper.value.close()


def test_a_pasted_return_is_planned_executed_and_its_pdf_opened(counted: Page, items: list[str]) -> None:
    plan(counted, ERP_USER, f"{items[5]}\t1\r\n{items[6]}\t1\r\n")
    execute_and_open(counted)
    assert clicks_of(counted) == told("A pasted return")


def test_documents_without_batches_are_named_before_the_execution(counted: Page, scenery: Scenery) -> None:
    plan(counted, WAREHOUSE_USER, f"{scenery.items[7]}\t1\r\n{scenery.batches}\t1\r\n")
    counted.get_by_role("button", name="Guardar otra").click()  # the scenery's planning is open
    expect(counted.get_by_text("1 artículo espera que elija sus lotes o series")).to_be_visible()
    counted.get_by_role("button", name=f"Elegir los de {scenery.batches}").click()
    counted.get_by_role("button", name="Tomar los que vencen primero").click()
    counted.get_by_role("dialog").get_by_role("button", name="Guardar", exact=True).click()
    expect(counted.get_by_text("espera que elija sus lotes")).to_have_count(0)
    execute_and_open(counted)
    assert clicks_of(counted) == told("A return with batches")


def test_an_order_is_found_changed_and_the_change_seen_in_its_history(
    counted: Page, program: Ask, order: int
) -> None:
    number = program("GET", f"/api/sl/Orders/{order}?$select=DocNum").body["DocNum"]
    enter(counted, "Usuario web", "ana", "ana-demo")
    counted.get_by_role("navigation").get_by_role("link", name="Pedidos de venta").click()
    search_box(counted).click()
    counted.keyboard.insert_text(str(number))
    counted.keyboard.press("Enter")
    counted.get_by_role("link", name=str(number), exact=True).click()
    counted.get_by_role("button", name="Cambiar").click()
    expect(counted.get_by_label("Vencimiento")).to_be_focused()
    counted.get_by_label("Comentarios").click()
    counted.keyboard.insert_text("Entregar temprano")
    counted.get_by_role("button", name="Guardar cambios").click()
    expect(counted.get_by_text("Entregar temprano")).to_be_visible()
    counted.get_by_role("link", name="Historia").click()
    expect(counted.get_by_role("row").filter(has_text="Cambió")).to_contain_text("Comments")
    assert clicks_of(counted) == told("An order")


def test_the_newest_order_is_found_without_a_search_and_its_paper_opened(
    counted: Page, program: Ask, formats: None, order: int
) -> None:
    number = program("GET", f"/api/sl/Orders/{order}?$select=DocNum").body["DocNum"]
    enter(counted, "Usuario web", "ana", "ana-demo")
    counted.get_by_role("navigation").get_by_role("link", name="Pedidos de venta").click()
    first = counted.get_by_role("table", name="Pedidos de venta").get_by_role("rowheader").first
    expect(first).to_have_text(str(number))
    first.get_by_role("link").click()
    counted.get_by_role("button", name="Imprimir").click()
    with counted.expect_popup() as paper:
        counted.get_by_role("link", name="Abrir en otra pestaña").click()
    paper.value.close()
    assert clicks_of(counted) == told("The paper of an order")


def test_an_order_is_found_by_its_customer_its_amount_and_its_month(
    counted: Page, program: Ask, scenery: Scenery
) -> None:
    lines = [{"ItemCode": scenery.items[0], "Quantity": 3, "UnitPrice": 777}]
    body = {"CardCode": "C00002", "DocDueDate": "2030-12-31", "DocumentLines": lines}
    made = program("POST", "/api/sl/Orders", body).body
    enter(counted, "Usuario web", "ana", "ana-demo")
    counted.get_by_role("navigation").get_by_role("link", name="Pedidos de venta").click()
    search_box(counted).click()
    for words in (made["CardName"], f"total {made['DocTotal']:.0f}", "este mes"):
        counted.keyboard.insert_text(words)
        counted.keyboard.press("Enter")
    found = counted.get_by_role("table", name="Pedidos de venta").get_by_role("rowheader")
    expect(found.first).to_have_text(str(made["DocNum"]))
    found.first.get_by_role("link").click()
    expect(counted.get_by_role("heading", level=1)).to_have_text(f"Pedido de venta {made['DocNum']}")
    assert clicks_of(counted) == told("An order by customer, amount and month")
