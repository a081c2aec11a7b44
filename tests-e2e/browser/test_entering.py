"""Enter in forms, cancelling a form that writes, and values that were set without an event."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Request, expect
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.people import open_page, paste, sign_in, sign_in_panel
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


@pytest.fixture
def clerk(page: Page) -> Page:
    """A warehouse user on the page of new returns."""
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    expect(page.get_by_label("Planilla")).to_be_visible()
    return page


@pytest.fixture
def written(page: Page) -> list[Request]:
    """Every request of the page that is no read."""
    requests: list[Request] = []
    page.on("request", lambda each: requests.append(each) if each.method != "GET" else None)
    return requests


def fill_in(field: Locator, value: str) -> None:
    """Put a value into an input as some password managers do: no event tells of it."""
    field.evaluate("(input, value) => { input.value = value; }", value)


def enter(page: Page, *fields: Locator) -> None:
    """Press Enter in each of these fields, which must lead from each to the next."""
    fields[0].focus()
    for field in fields[1:]:
        page.keyboard.press("Enter")
        expect(field).to_be_focused()


def test_enter_in_a_new_order_goes_on_and_only_ctrl_enter_creates_it(
    office: Page, written: list[Request], scenery: Scenery
) -> None:
    open_page(office, "/crear/Orders")
    written.clear()
    partner, due = office.get_by_label("Código del socio"), office.get_by_label("Vencimiento")
    partner.fill("C00001")
    due.fill("2030-12-31")
    line = office.get_by_role("group", name="Línea nueva 1")
    line.get_by_label("Artículo").fill(scenery.items[0])
    line.get_by_label("Cantidad").fill("3")
    enter(office, partner, office.get_by_label("Fecha", exact=True), due)
    enter(office, due, office.get_by_label("Referencia"), line.get_by_label("Artículo"))
    office.keyboard.press("Tab")
    expect(line.get_by_label("Cantidad")).to_be_focused()
    added = office.get_by_role("group", name="Línea nueva 2")
    office.keyboard.press("Enter")  # as in a spreadsheet: down, in the column where Tab set out
    expect(added.get_by_label("Artículo")).to_be_focused()
    for _ in range(8):  # a line without anything in it gets no other one, and its field keeps the focus
        office.keyboard.press("Enter")
    expect(added.get_by_label("Artículo")).to_be_focused()
    expect(office.get_by_role("group", name="Línea nueva 3")).to_have_count(0)
    assert written == []
    office.keyboard.press("Control+Enter")
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))
    assert [each.method for each in written] == ["POST"]


def test_cancelling_a_new_record_asks_first_and_sends_no_request(
    office: Page, written: list[Request]
) -> None:
    open_page(office, "/crear/Orders")
    written.clear()
    office.get_by_role("button", name="Cancelar").click()
    expect(office.get_by_role("heading", name="Pedidos de venta", level=1)).to_be_visible()
    open_page(office, "/crear/Items")
    office.get_by_label("Artículo", exact=True).fill("A-1")
    office.get_by_role("button", name="Cancelar").click()
    office.get_by_role("button", name="Salir sin guardar").click()
    expect(office.get_by_role("heading", level=1)).to_have_text("Artículos")
    assert written == []


def test_enter_in_a_change_goes_through_the_lines_and_adds_one(
    office: Page, written: list[Request], scenery: Scenery, order: int
) -> None:
    open_page(office, f"/erp/Orders/{order}")
    written.clear()
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill("a medias")
    lines = office.get_by_role("table", name="Líneas que se pueden cambiar").get_by_role("textbox")
    added = office.get_by_role("group", name="Línea nueva 1")
    enter(office, *lines.all(), added.get_by_label("Artículo"))
    added.get_by_label("Artículo").fill(scenery.items[2])
    added.get_by_label("Cantidad").fill("1")
    added.get_by_label("Cantidad").press("Enter")
    expect(added.get_by_label("Precio unitario")).to_be_focused()
    more = office.get_by_label("Otro campo")
    more.focus()
    more.press("Enter")  # a choice from a list submits in some browsers
    expect(lines.first).to_be_focused()
    assert written == []
    lines.first.press("Control+Enter")
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    assert [each.method for each in written] == ["PATCH"]


def test_enter_gives_no_permissions_and_lifts_no_block(office: Page, written: list[Request]) -> None:
    open_page(office, "/permisos")
    written.clear()
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog", name="Dar permisos")
    user = dialog.get_by_label("Usuario web")
    user.fill("nuevo")
    everything = dialog.get_by_label("Todo, también administrar")
    enter(office, user, *dialog.get_by_role("group", name="Roles").get_by_role("checkbox").all())
    everything.check()
    office.keyboard.press("Enter")
    expect(dialog.get_by_label("Rutas")).to_be_focused()
    office.keyboard.press("Enter")  # a text of several lines gets another one
    expect(dialog.get_by_label("Rutas")).to_have_value("*\n")
    office.keyboard.press("Control+Enter")
    expect(dialog.get_by_text("En el ERP nadie se llama nuevo.")).to_be_visible()
    assert written == []
    open_page(office, "/sesiones")
    blocked = office.get_by_label("Usuario web")
    blocked.fill("diego")
    blocked.press("Enter")
    expect(blocked).to_have_value("diego")
    office.get_by_role("button", name="Cancelar").click()
    expect(blocked).to_have_value("")
    assert written == []


def test_enter_neither_changes_nor_executes_nor_closes_a_planning(
    clerk: Page, written: list[Request], scenery: Scenery
) -> None:
    open_page(clerk, f"/devoluciones/{scenery.planned}")
    clerk.get_by_role("button", name="Ejecutar").click()
    executing = clerk.get_by_role("dialog", name="Crear las devoluciones en el ERP")
    expect(executing.get_by_role("checkbox").first).to_be_visible()
    written.clear()
    for box in executing.get_by_role("checkbox").all():
        box.press("Enter")
    executing.get_by_role("button", name="Cancelar").click()
    clerk.get_by_role("button", name="Cambiar datos").click()
    header = clerk.get_by_role("dialog", name="Datos de la devolución")
    header.get_by_label("Fecha del documento").fill("2026-01-31")
    for field in header.locator("input:visible, select:visible").all():
        field.press("Enter")
    expect(header).to_be_visible()
    header.get_by_role("button", name="Cancelar").click()
    clerk.get_by_role("button", name="Salir sin guardar").click()
    expect(header).to_have_count(0)
    assert written == []


def test_a_pasted_sheet_is_cancelled(clerk: Page, written: list[Request], items: list[str]) -> None:
    clerk.get_by_label("Bodega").select_option("01")
    paste(clerk, clerk.get_by_label("Planilla"), f"{items[0]}\t1\n")
    expect(clerk.get_by_role("button", name="Guardar planificación")).to_be_enabled()
    written.clear()
    clerk.get_by_text("Fecha, serie, motivo y otros datos").click()
    date = clerk.get_by_label("Fecha de contabilización")
    enter(clerk, date, clerk.get_by_label("Fecha del documento"))
    clerk.get_by_role("button", name="Cancelar").click()
    clerk.get_by_role("button", name="Salir sin guardar").click()
    expect(clerk.get_by_role("heading", name="Planificaciones de devolución")).to_be_visible()
    assert written == []


@pytest.mark.parametrize("by", ["button", "Enter", "choice"])
def test_a_sign_in_that_was_filled_in_without_events_sends_it(page: Page, by: str) -> None:
    open_page(page)
    form, label = sign_in_panel(page, "gateway")
    fill_in(form.get_by_label(label), "ana")
    fill_in(form.get_by_label("Contraseña"), "ana-demo")
    if by == "choice":  # it draws the form anew
        both = form.get_by_role("checkbox", name=re.compile("^Entrar con lo mismo"))
        both.check()
        both.uncheck()
    if by == "Enter":
        form.get_by_label("Contraseña").press("Enter")
    else:
        form.get_by_role("button", name="Entrar").click()
    expect(page.get_by_role("banner").get_by_text("Ana González")).to_be_attached()


def test_forms_read_values_filled_in_without_events(
    office: Page, written: list[Request], scenery: Scenery
) -> None:
    open_page(office, "/crear/Orders")
    written.clear()
    for label, value in {
        "Código del socio": "C00001",
        "Vencimiento": "2030-12-31",
        "Comentarios": "de un gestor",
        "Artículo": scenery.items[0],
        "Cantidad": "3",
    }.items():
        fill_in(office.get_by_label(label), value)
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))
    assert [each.post_data_json for each in written] == [
        {
            "CardCode": "C00001",
            "DocDueDate": "2030-12-31",
            "Comments": "de un gestor",
            "DocumentLines": [{"ItemCode": scenery.items[0], "Quantity": 3}],
        }
    ]
    office.get_by_role("button", name="Cambiar").click()
    written.clear()
    fill_in(office.get_by_role("table").get_by_role("textbox").first, "4")
    office.get_by_label("Comentarios").hover()
    office.get_by_role("button", name="Guardar cambios").click()
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    assert [each.post_data_json for each in written] == [{"DocumentLines": [{"LineNum": 0, "Quantity": 4}]}]


def test_filters_read_values_filled_in_without_events(office: Page) -> None:
    open_page(office, "/auditoria")
    fill_in(office.get_by_label("Usuario"), "carmen")
    office.get_by_label("Clave").press("Enter")
    expect(office).to_have_url(re.compile("usuario=carmen"))


def test_value_help_finds_records_without_accents(office: Page, program: Ask, written: list[Request]) -> None:
    body = {"CardCode": "C-FIND-1", "CardName": "Panadería Ibáñez y Ñuñez", "CardType": "cCustomer"}
    assert program("POST", "/api/sl/BusinessPartners", body).status in (201, 400)  # 400: it is there
    open_page(office, "/crear/Orders")
    written.clear()
    partner = office.get_by_label("Código del socio")
    options = office.get_by_role("listbox", name="Lo que se puede elegir").get_by_role("option")
    partner.fill("ibanez")
    expect(options.filter(has_text="C-FIND-1 · Panadería Ibáñez y Ñuñez")).to_be_visible()
    partner.press("ArrowDown")
    partner.press("Enter")
    expect(partner).to_have_value("C-FIND-1")
    expect(options).to_have_count(0)
    expect(partner).to_be_focused()
    partner.fill("C000")
    expect(options.nth(20)).to_be_attached()  # more than twelve
    partner.press("Escape")
    expect(options).to_have_count(0)
    partner.fill("C0000")
    expect(options.first).to_be_visible()
    partner.press("Enter")  # nothing was chosen: what was typed stays, and the next field follows
    expect(partner).to_have_value("C0000")
    expect(office.get_by_label("Fecha", exact=True)).to_be_focused()
    assert written == []


def test_people_are_found_without_accents_and_escape_keeps_the_dialog(office: Page) -> None:
    open_page(office, "/permisos")
    office.get_by_role("button", name="Dar permisos").click()
    dialog = office.get_by_role("dialog", name="Dar permisos")
    user = dialog.get_by_label("Usuario web")
    user.fill("gonzalez")
    option = dialog.get_by_role("option", name=re.compile("González"))
    expect(option).to_be_visible()
    user.press("Escape")
    expect(option).to_have_count(0)
    expect(dialog).to_be_visible()
    user.fill("GONZÁL")
    option.first.click()
    expect(user).to_have_value("ana")


@pytest.mark.parametrize(
    ("field", "text"), [("Artículo", "NO-EXISTE"), ("Código del socio", "NADIE"), ("Bodega", "ZZ")]
)
def test_an_unknown_code_is_reported_at_its_field(
    office: Page, scenery: Scenery, field: str, text: str
) -> None:
    open_page(office, "/crear/Orders")
    office.get_by_label("Código del socio").fill("C00001")
    office.get_by_label("Vencimiento").fill("2030-12-31")
    for at, item in enumerate(scenery.items[:2]):
        line = office.get_by_role("group", name=f"Línea nueva {at + 1}")
        line.get_by_label("Artículo").fill(item)
        line.get_by_label("Cantidad").fill("1")
        if at == 0:
            office.get_by_role("button", name="Otra línea").click()
    wrong = office.get_by_label(field).last
    wrong.fill(text)
    wrong.press("Control+Enter")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(office.locator(".fault")).to_have_text([f"«{text}» no existe."])
    expect(wrong).to_be_focused()


def test_an_unknown_item_in_a_changed_order_is_reported_at_its_field(office: Page, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_role("button", name="Otra línea").click()
    item = office.get_by_role("group", name="Línea nueva 1").get_by_label("Artículo")
    item.fill("NO-EXISTE")
    office.get_by_label("Cantidad").last.fill("1")
    office.get_by_role("button", name="Guardar cambios").click()
    expect(item).to_have_attribute("aria-invalid", "true")
    expect(office.locator(".fault")).to_have_text(["«NO-EXISTE» no existe."])
