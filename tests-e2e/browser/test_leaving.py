"""Whoever would leave a form with something typed in it is asked first, however they leave."""

import re

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect
from tools.browser.people import open_page, paste, sign_in
from tools.browser.scenery import Scenery
from tools.stack.company import ERP_PASSWORD, WAREHOUSE_USER

TYPED = "Entregar el lunes"


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


@pytest.fixture
def changing(office: Page, order: int) -> Page:
    """An order that is being changed; before it was the list of orders."""
    open_page(office, "/erp/Orders")
    office.evaluate(f"location.hash = '#/erp/Orders/{order}'")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill(TYPED)
    return office


def question(page: Page) -> Locator:
    """Return what asks before somebody leaves."""
    return page.get_by_role("dialog", name="Lo que escribió no está guardado")


def stay(page: Page) -> None:
    """Answer that one goes on writing."""
    question(page).get_by_role("button", name="Seguir escribiendo").click()
    expect(question(page)).to_have_count(0)


def leave(page: Page) -> None:
    """Answer that one leaves."""
    question(page).get_by_role("button", name="Salir sin guardar").click()
    expect(question(page)).to_have_count(0)


def permissions_link(page: Page) -> Locator:
    """Return the navigation's link to another page."""
    return page.get_by_role("navigation", name="Principal").get_by_role("link", name="Permisos")


def test_a_link_asks_first_and_whoever_stays_has_what_was_typed(changing: Page) -> None:
    before = changing.url
    permissions_link(changing).click()
    stay(changing)
    assert changing.url == before
    expect(changing.get_by_label("Comentarios")).to_have_value(TYPED)
    permissions_link(changing).click()
    leave(changing)
    expect(changing.get_by_role("heading", name="Permisos", level=1)).to_be_visible()


def test_the_way_back_asks_first_and_stays_open(changing: Page, order: int) -> None:
    permissions_link(changing).click()
    stay(changing)
    changing.go_back()
    stay(changing)
    expect(changing).to_have_url(re.compile(rf"#/erp/Orders/{order}$"))
    expect(changing.get_by_label("Comentarios")).to_have_value(TYPED)
    changing.go_back()
    leave(changing)
    expect(changing.get_by_role("heading", name="Pedidos de venta", level=1)).to_be_visible()


def test_giving_a_change_up_asks_first(changing: Page) -> None:
    changing.get_by_role("button", name="Cancelar").click()
    stay(changing)
    expect(changing.get_by_label("Comentarios")).to_have_value(TYPED)
    changing.get_by_role("button", name="Cancelar").click()
    leave(changing)
    expect(changing.get_by_role("button", name="Cambiar")).to_be_visible()


def test_signing_out_asks_first(changing: Page) -> None:
    out = changing.get_by_role("button", name="Salir de Pasarela del ERP")
    out.click()
    stay(changing)
    expect(changing.get_by_label("Comentarios")).to_have_value(TYPED)
    out.click()
    leave(changing)
    expect(changing.get_by_role("button", name="Entrar")).to_be_visible()


def test_the_browser_asks_before_it_closes_the_page(changing: Page) -> None:
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    changing.on("dialog", answer)
    changing.reload()
    assert asked == ["beforeunload"]


def test_nobody_is_asked_who_has_typed_nothing_or_saved_it(office: Page, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_role("button", name="Cancelar").click()
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill(TYPED)
    office.get_by_label("Comentarios").fill("")
    office.get_by_label("Comentarios").fill(TYPED)
    office.get_by_role("button", name="Guardar cambios").click()
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    permissions_link(office).click()
    expect(office.get_by_role("heading", name="Permisos", level=1)).to_be_visible()


def test_a_new_record_asks_first_and_not_once_it_is_made(office: Page, scenery: Scenery) -> None:
    open_page(office, "/crear/Orders")
    office.get_by_label("Código del socio").fill("C00001")
    permissions_link(office).click()
    stay(office)
    office.get_by_label("Vencimiento").fill("2030-12-31")
    office.get_by_label("Artículo").fill(scenery.items[0])
    office.get_by_label("Cantidad").fill("3")
    office.get_by_label("Cantidad").press("Enter")
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))


def test_a_pasted_sheet_asks_first(page: Page, items: list[str]) -> None:
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    paste(page, page.get_by_label("Planilla"), f"{items[0]}\t1\n")
    page.get_by_role("link", name="Planificaciones").first.click()
    stay(page)
    expect(page.get_by_label("Planilla")).to_have_value(f"{items[0]}\t1\n")
    page.get_by_role("link", name="Planificaciones").first.click()
    leave(page)
    expect(page.get_by_role("heading", name="Planificaciones de devolución")).to_be_visible()


@pytest.mark.parametrize("way", ["Escape", "Cerrar", "Cancelar"])
def test_a_dialog_with_something_typed_asks_first(page: Page, scenery: Scenery, way: str) -> None:
    open_page(page, f"/devoluciones/{scenery.planned}")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_role("button", name="Añadir artículos").click()
    adding = page.get_by_role("dialog", name="Añadir artículos")

    def close() -> None:
        if way == "Escape":
            page.keyboard.press("Escape")
        else:
            adding.get_by_role("button", name=way, exact=True).click()

    close()
    expect(adding).to_have_count(0)
    page.get_by_role("button", name="Añadir artículos").click()
    adding.get_by_label("Artículo", exact=True).fill(scenery.items[0])
    close()
    stay(page)
    expect(adding.get_by_label("Artículo", exact=True)).to_have_value(scenery.items[0])
    close()
    leave(page)
    expect(adding).to_have_count(0)


def test_escape_alone_never_loses_what_was_typed(page: Page, scenery: Scenery) -> None:
    open_page(page, f"/devoluciones/{scenery.planned}")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_role("button", name="Añadir artículos").click()
    item = page.get_by_role("dialog", name="Añadir artículos").get_by_label("Artículo", exact=True)
    item.press_sequentially(scenery.items[0])
    page.keyboard.press("Escape")
    expect(question(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(question(page)).to_have_count(0)
    for _ in range(7):  # from the third on the browser asks nobody whether it may close a dialog
        page.keyboard.press("Escape")
    expect(item).to_be_visible()
    expect(item).to_have_value(scenery.items[0])
    expect(question(page)).to_be_visible()
    stay(page)
