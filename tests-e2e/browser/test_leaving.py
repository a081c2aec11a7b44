"""Whoever would leave a form with something typed in it is asked first, however they leave."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.people import open_page, paste, sign_in
from tools.browser.scenery import Scenery

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


def test_a_link_asks_first_and_staying_keeps_the_input(changing: Page) -> None:
    before = changing.url
    permissions_link(changing).click()
    stay(changing)
    assert changing.url == before
    expect(changing.get_by_label("Comentarios")).to_have_value(TYPED)
    permissions_link(changing).click()
    leave(changing)
    expect(changing.get_by_role("heading", name="Permisos", level=1)).to_be_visible()


def test_going_back_asks_first_and_works_afterwards(changing: Page, order: int) -> None:
    permissions_link(changing).click()
    stay(changing)
    changing.go_back()
    stay(changing)
    expect(changing).to_have_url(re.compile(rf"#/erp/Orders/{order}$"))
    expect(changing.get_by_label("Comentarios")).to_have_value(TYPED)
    changing.go_back()
    leave(changing)
    expect(changing.get_by_role("heading", name="Pedidos de venta", level=1)).to_be_visible()


def test_discarding_a_change_asks_first(changing: Page) -> None:
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


def reload(page: Page) -> list[str]:
    """Load the page anew, and return what the browser asked before it did."""
    requests: list[str] = []

    def answer(dialog: Dialog) -> None:
        requests.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    page.reload()
    page.remove_listener("dialog", answer)
    return requests


def recover(page: Page) -> None:
    """Take what was typed before the page was loaded anew."""
    page.get_by_role("button", name="Recuperarlo").click()
    expect(page.get_by_text("Quedó sin guardar")).to_have_count(0)


def drafts(page: Page) -> list[str]:
    """Return the names of what this tab keeps of unsaved forms."""
    names: list[str] = page.evaluate("Object.keys(sessionStorage).filter(each => each.includes('borrador'))")
    return names


def test_input_is_offered_after_a_reload_and_saved_once(changing: Page) -> None:
    changing.get_by_label("Cantidad de").first.fill("5")
    assert reload(changing) == ["beforeunload"]
    expect(changing.get_by_label("Comentarios")).to_have_value("")
    recover(changing)
    expect(changing.get_by_label("Comentarios")).to_have_value(TYPED)
    expect(changing.get_by_label("Cantidad de").first).to_have_value("5")
    with changing.expect_request(lambda each: each.method == "PATCH") as write:
        changing.get_by_role("button", name="Guardar cambios").click()
    assert write.value.post_data_json == {"Comments": TYPED, "DocumentLines": [{"LineNum": 0, "Quantity": 5}]}
    expect(changing.get_by_role("button", name="Cambiar")).to_be_visible()
    expect(changing.locator("main h1")).to_be_focused()
    assert drafts(changing) == []


def test_a_draft_says_when_its_record_has_changed_and_goes_when_it_is_not_wanted(
    changing: Page, program: Callable[..., Answer], order: int
) -> None:
    assert program("PATCH", f"/api/sl/Orders/{order}", {"NumAtCard": "OC 7"}).status == 204
    reload(changing)
    expect(changing.get_by_text("El registro cambió desde entonces")).to_be_visible()
    changing.get_by_role("button", name="Descartarlo").click()
    expect(changing.get_by_label("Comentarios")).to_have_value("")
    assert drafts(changing) == []
    changing.reload()
    expect(changing.get_by_role("button", name="Cambiar")).to_be_visible()


def test_leaving_and_signing_out_keep_no_draft(changing: Page) -> None:
    assert len(drafts(changing)) == 1
    permissions_link(changing).click()
    leave(changing)
    assert drafts(changing) == []
    changing.get_by_role("button", name="Dar permisos").click()
    changing.get_by_role("dialog").get_by_label("Usuario web").fill("nadia")
    assert len(drafts(changing)) == 1
    changing.keyboard.press("Escape")
    leave(changing)
    open_page(changing, "/crear/Orders")
    changing.get_by_label("Código del socio").fill("C00001")
    changing.get_by_role("button", name="Salir de Pasarela del ERP").click()
    leave(changing)
    expect(changing.get_by_role("button", name="Entrar")).to_be_visible()
    assert drafts(changing) == []


def test_every_form_of_the_gateway_asks_and_keeps_the_input(office: Page) -> None:
    forms = {
        "/crear/Orders": (None, "Código del socio", "C00001"),
        "/permisos": ("Dar permisos", "Usuario web", "nadia"),
        "/informes/consulta/pedido": (None, "Número interno", "1"),
        "/informes/html/ventas": (None, "Desde", "2020-02-02"),
    }
    for path, (button, label, text) in forms.items():
        open_page(office, path)
        for typed in (True, False):
            if button:
                office.get_by_role("button", name=button).click()
            if typed:
                office.get_by_label(label, exact=False).first.fill(text)
                assert reload(office) == ["beforeunload"], path
        recover(office)
        expect(office.get_by_label(label, exact=False).first).to_have_value(text)
        office.evaluate("location.hash = '#/sesiones'")
        leave(office)
        expect(office.get_by_role("heading", name="Sesiones", level=1)).to_be_visible()
        assert drafts(office) == []


def test_every_form_of_returns_asks_and_keeps_the_input(
    page: Page, scenery: Scenery, items: list[str]
) -> None:
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    planning = f"/devoluciones/{scenery.planned}"
    forms = [
        ("/devoluciones/nueva", None, "Planilla", f"{items[0]}\t1\n"),
        (planning, "Añadir artículos", "Artículo", items[0]),
        (planning, "Cambiar datos", "Comentario", "Por la mañana"),
        (planning, "Cerrar planificación", "Motivo", "No viene nadie"),
    ]
    for path, button, label, text in forms:
        open_page(page, path)
        where = page.get_by_role("dialog") if button else page
        field = where.get_by_label(label, exact=True)
        for typed in (True, False):
            if button:
                page.get_by_role("button", name=button, exact=True).click()
            if typed:
                field.fill(text)
                assert reload(page) == ["beforeunload"], (path, button)
        recover(page)
        expect(field).to_have_value(text)
        page.evaluate("location.hash = '#/devoluciones'")
        leave(page)
        expect(page.get_by_role("heading", name="Planificaciones de devolución")).to_be_visible()
        assert drafts(page) == []


def test_missing_required_fields_are_marked_before_sending(office: Page) -> None:
    open_page(office, "/crear/Orders")
    office.get_by_label("Comentarios").fill(TYPED)
    sent: list[str] = []
    office.on("request", lambda each: sent.append(each.url) if each.method == "POST" else None)
    office.get_by_role("button", name="Crear").click()
    customer = office.get_by_label("Código del socio")
    expect(customer).to_be_focused()
    expect(customer).to_have_attribute("aria-invalid", "true")
    office.get_by_label("Cantidad").fill("mucha")
    customer.fill("C00001")
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_label("Cantidad")).to_be_focused()
    assert sent == []


def test_a_refusal_is_shown_at_its_field_with_the_focus(page: Page, scenery: Scenery) -> None:
    open_page(page, f"/devoluciones/{scenery.planned}")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_role("button", name="Añadir artículos").click()
    adding = page.get_by_role("dialog", name="Añadir artículos")
    adding.get_by_label("Artículo", exact=True).fill(scenery.items[0])
    adding.get_by_label("Cantidad").fill("0")
    adding.get_by_role("button", name="Añadir y planificar").click()
    expect(adding.get_by_label("Cantidad")).to_have_attribute("aria-invalid", "true")
    expect(adding.get_by_label("Cantidad")).to_be_focused()


def test_leaving_without_unsaved_input_does_not_ask(office: Page, order: int) -> None:
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


def test_leaving_a_new_record_asks_until_it_is_saved(office: Page, scenery: Scenery) -> None:
    open_page(office, "/crear/Orders")
    office.get_by_label("Código del socio").fill("C00001")
    permissions_link(office).click()
    stay(office)
    office.get_by_label("Vencimiento").fill("2030-12-31")
    office.get_by_label("Artículo").fill(scenery.items[0])
    office.get_by_label("Cantidad").fill("3")
    office.get_by_label("Cantidad").press("Control+Enter")
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
def test_a_dialog_with_input_asks_before_closing(page: Page, scenery: Scenery, way: str) -> None:
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


def test_escape_never_loses_the_input(page: Page, scenery: Scenery) -> None:
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
