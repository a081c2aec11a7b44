"""Finding records: one box, chips, steps of the browser's history, views with a name."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote, urlencode
from zoneinfo import ZoneInfo

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped] # it ships none
from playwright.sync_api import Locator, Page, Request, expect
from stack.exchange import Answer
from tools.browser.launching import PHONE, WIDE
from tools.browser.people import open_page, search, search_box, sign_in

from erpclient.odata import DEFAULT_LIMITS

Ask = Callable[..., Answer]
CONSOLE = Path(__file__).parents[2] / "deploy/console/modules"
OpenPerson = Callable[..., Page]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
HEADS = "heads => heads.map(head => head.textContent.replace(/[↑↓]/, ''))"


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in, before the orders."""
    open_page(page, "/erp/Orders")
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_role("row")).to_have_count(52)
    return page


def reads_of(page: Page, resource: str = "Orders") -> list[str]:
    """Collect the filters of what the page reads of a list from now on."""
    filters: list[str] = []

    def note(request: Request) -> None:
        if f"/api/sl/{resource}?" in request.url:
            filters.append(unquote(request.url).partition("$filter=")[2].partition("&$")[0])

    page.on("request", note)
    return filters


def chips(page: Page) -> Locator:
    """Return the conditions that hold."""
    return page.get_by_role("list", name="Condiciones que se cumplen").get_by_role("listitem")


def numbers(page: Page) -> Locator:
    """Return the numbers of the orders that are listed."""
    return page.get_by_role("table", name="Pedidos de venta").get_by_role("rowheader")


def options(page: Page) -> Locator:
    """Return what the box offers."""
    return page.get_by_role("listbox", name="Lo que se puede buscar").get_by_role("option")


def test_words_without_accents_find_names_with_them_in_one_read(office: Page, program: Ask) -> None:
    name = "Panadería Ibáñez y Ñuñez"
    body = {"CardCode": "C-FIND-1", "CardName": name, "CardType": "cCustomer"}
    assert program("POST", "/api/sl/BusinessPartners", body).status in (201, 400)  # 400: it is there
    open_page(office, "/erp/BusinessPartners")
    rows = office.get_by_role("row")
    expect(rows).to_have_count(52)
    reads = reads_of(office, "BusinessPartners")
    search_box(office).focus()
    office.keyboard.type("ibanez PANADERIA", delay=5)
    office.keyboard.press("Enter")
    expect(rows.filter(has_text=name)).to_be_visible()
    expect(chips(office)).to_have_text(["«ibanez PANADERIA»"])
    expect(rows).to_have_count(2)
    assert len(reads) == 1
    assert "contains(CardName,'ibañez')" in reads[0]
    assert "contains(FederalTaxID,'ibánez')" in reads[0]  # a number that the service lets people search by


def test_a_number_is_looked_for_as_a_number(office: Page, program: Ask, order: int) -> None:
    number = program("GET", f"/api/sl/Orders/{order}?$select=DocNum").body["DocNum"]
    reads = reads_of(office)
    search(office, str(number))
    expect(numbers(office)).to_have_text([str(number)])
    (requested,) = reads
    assert requested.startswith(f"DocNum eq {number} or contains(CardCode,")


def test_conditions_are_chosen_and_taken_out_by_the_keyboard(office: Page) -> None:
    reads = reads_of(office)
    box = search_box(office)
    box.focus()
    office.keyboard.press("ArrowDown")
    expect(options(office).first).to_have_text("Número…")
    office.keyboard.type("esta")
    expect(options(office).first).to_have_text("Buscar «esta»")
    while options(office).and_(office.get_by_role("option", selected=True)).inner_text() != "Estado…":
        office.keyboard.press("ArrowDown")
    office.keyboard.press("Enter")
    expect(box).to_have_value("Estado ")
    expect(options(office).first).to_have_text("Estado es Abierto")
    office.keyboard.press("Enter")
    office.keyboard.type("cerrado")
    office.keyboard.press("Enter")
    office.keyboard.type("total >= 1000,5")
    with office.expect_request("**/api/sl/Orders?*"):
        office.keyboard.press("Enter")
    expect(chips(office)).to_have_text(["Estado es Abierto", "o Estado es Cerrado", "y Total ≥ 1000,5"])
    expect(box).to_be_focused()
    either = "(DocumentStatus eq 'bost_Open' or DocumentStatus eq 'bost_Close')"
    assert reads == ["DocumentStatus eq 'bost_Open'", either[1:-1], f"{either} and DocTotal ge 1000.5"]
    office.keyboard.press("Backspace")
    expect(chips(office)).to_have_count(2)
    office.get_by_role("button", name="Quitar Estado es Abierto").press("Delete")
    expect(chips(office)).to_have_text(["Estado es Cerrado"])
    expect(box).to_be_focused()


def test_conditions_are_chosen_and_taken_out_by_the_mouse(office: Page) -> None:
    office.get_by_role("button", name="Condiciones").click()
    options(office).filter(has_text="Fecha…").click()
    options(office).filter(has_text="Fecha: mes pasado").click()
    expect(chips(office)).to_have_text(["Fecha: mes pasado"])
    search(office, "sur")
    expect(chips(office)).to_have_count(2)
    office.get_by_role("button", name="Quitar Fecha: mes pasado").click()
    expect(chips(office)).to_have_text(["«sur»"])
    office.get_by_role("button", name="Quitar filtro").click()
    expect(chips(office)).to_have_count(0)
    expect(office.get_by_role("row")).to_have_count(52)


def test_further_fields_are_read_on_request(office: Page) -> None:
    reads = reads_of(office)
    box = search_box(office)
    box.press("ArrowDown")
    box.press("ArrowUp")
    box.press("Enter")
    expect(options(office).filter(has_text="Referencia…")).to_be_attached()
    expect(options(office).filter(has_text="Más campos…")).to_have_count(0)
    office.keyboard.type("referencia empieza con OC")
    with office.expect_request("**/api/sl/Orders?*"):
        office.keyboard.press("Enter")
    expect(chips(office)).to_have_text(["Referencia empieza con OC"])
    assert len(reads) == 1
    assert "startswith(NumAtCard,'OC')" in reads[0]


def test_a_span_of_days_moves_with_the_companys_day(person: OpenPerson) -> None:
    now = datetime.now(UTC)
    today = now.astimezone(ZoneInfo("America/Santiago")).date()
    zones = ("Pacific/Kiritimati", "Pacific/Pago_Pago")
    page = person(zone=next(zone for zone in zones if now.astimezone(ZoneInfo(zone)).date() != today))
    open_page(page, "/erp/Orders")
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_role("row")).to_have_count(52)
    reads = reads_of(page)
    with page.expect_request("**/api/sl/Orders?*"):
        search(page, "ultimos 30 dias")
    expect(chips(page)).to_have_text(["Fecha: últimos 30 días"])
    assert reads == [f"(DocDate ge '{today - timedelta(days=29)}' and DocDate le '{today}')"]
    search_box(page).fill(f"{today:%-d/%-m}")
    expect(options(page).first).to_have_text(f"Fecha el día {today:%d-%m-%Y}")


def test_an_unavailable_field_description_removes_no_column(office: Page) -> None:
    office.get_by_role("button", name="Columnas").click()
    office.get_by_label("Referencia", exact=True).check()
    reference = office.get_by_role("columnheader", name="Referencia")
    expect(reference).to_be_visible()
    office.route("**/api/fields/Orders", lambda route: route.fulfill(json={"complete": False, "fields": []}))
    open_page(office, "/erp/Orders")
    office.get_by_role("button", name="Columnas").click()
    alert = office.get_by_role("alert").filter(has_text="El ERP no dice ahora")
    expect(alert).to_be_visible()
    office.get_by_role("checkbox", name="Moneda").uncheck()
    expect(office.get_by_role("columnheader", name="Moneda")).to_have_count(0)
    expect(reference).to_be_visible()
    kept = json.loads(office.evaluate("localStorage.getItem('consola.lista.Orders')"))
    assert "NumAtCard" in [each["name"] for each in kept["columns"]]
    condition = {"name": "Address", "operator": "contains", "value": "x"}
    open_page(office, f"/erp/Orders?{urlencode({'filtro': json.dumps([condition])})}")
    expect(alert).to_be_visible()
    expect(office.get_by_text("No hay tal campo.")).to_have_count(0)
    office.unroute("**/api/fields/Orders")
    alert.get_by_role("button", name="Intentar de nuevo").click()
    expect(alert).to_have_count(0)
    expect(office.get_by_text("Todos, con estas columnas:")).to_be_visible()


def test_a_search_that_fails_shows_no_rows_of_another(office: Page) -> None:
    office.route("**/api/sl/Orders?*", lambda route: route.fulfill(status=503, json={"detail": "Ahora no."}))
    search(office, "abierto")
    expect(office.get_by_role("alert")).to_contain_text("Ahora no.")
    expect(office.get_by_role("row")).to_have_count(0)
    office.unroute("**/api/sl/Orders?*")
    office.get_by_role("button", name="Intentar de nuevo").click()
    expect(office.get_by_role("row")).to_have_count(52)


def test_searches_are_forgotten_at_sign_out(office: Page) -> None:
    search(office, "abierto")
    numbers(office).first.get_by_role("link").click()
    back = office.get_by_role("navigation", name="Ruta").get_by_role("link", name="Pedidos de venta")
    expect(back).to_have_attribute("href", re.compile("filtro"))
    office.get_by_role("button", name="Salir de Pasarela del ERP").click()
    sign_in(office, "gateway", "ana", "ana-demo")
    expect(back).to_have_attribute("href", "#/erp/Orders")


def test_views_saved_in_two_tabs_are_merged(office: Page) -> None:
    office.get_by_role("button", name="Vistas").click()
    other = office.context.new_page()
    open_page(other, "/erp/Orders")
    other.get_by_role("button", name="Vistas").click()
    for page, name in ((office, "Una"), (other, "Otra")):
        page.get_by_label("Nombre de la vista").fill(name)
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name=name)).to_be_visible()
    expect(other.get_by_role("list", name="Vistas guardadas").get_by_role("link")).to_have_count(2)
    office.get_by_role("button", name="Quitar la vista Una").click()
    expect(office.get_by_role("list", name="Vistas guardadas").get_by_role("link")).to_have_text(["Otra"])


def test_a_link_that_cannot_be_copied_is_shown(office: Page) -> None:
    office.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")  # as without TLS
    office.get_by_role("button", name="Vistas").click()
    office.get_by_role("button", name="Copiar enlace").click()
    alert = office.get_by_role("alert")
    expect(alert).to_contain_text("El navegador no permite copiar el enlace.")
    expect(alert).to_contain_text("/consola/#/erp/Orders?columnas=")


def test_a_search_that_does_not_fit_is_reported_and_not_truncated(office: Page) -> None:
    reads = reads_of(office)
    search(office, "inmobiliaria constructora agricola comercializadora norteamericana exportadora")
    expect(office.get_by_text("El texto se buscó solo en Nombre del socio")).to_be_visible()
    assert len(reads) == 1
    assert "CardCode" not in reads[0]
    values = [{"name": "DocTotal", "operator": "eq", "value": str(at)} for at in range(91)]
    open_page(office, f"/erp/Orders?{urlencode({'filtro': json.dumps(values)})}")
    expect(office.get_by_text("Son 91 condiciones y en una consulta caben 90.")).to_be_visible()
    assert len(reads) == 1
    expect(chips(office)).to_have_count(91)


def test_as_many_conditions_as_are_said_to_fit_are_taken(office: Page) -> None:
    values = [{"name": "CardName", "operator": "contains", "value": f"X{at:02}-Ñ'("} for at in range(45)]
    open_page(office, f"/erp/Orders?{urlencode({'filtro': json.dumps(values)})}")  # each in two spellings
    expect(office.get_by_text("Ningún registro cumple las condiciones.")).to_be_visible()


def test_the_console_knows_how_much_a_filter_may_hold() -> None:
    (written,) = re.findall(r"LIMITS = \{(.*?)\};", (CONSOLE / "finding/conditions.js").read_text("utf-8"))
    result = {name: int(value) for name, value in re.findall(r"(\w+): (\d+)", written)}
    assert result.pop("conditions") <= DEFAULT_LIMITS.filter_conditions
    assert result == {
        "text": DEFAULT_LIMITS.string_length,
        "filter": DEFAULT_LIMITS.filter_length,
        "encoded": DEFAULT_LIMITS.encoded_bytes,
    }


def test_each_search_sort_and_page_is_a_step_back(office: Page) -> None:
    pager = office.get_by_role("navigation", name="Páginas").get_by_role("status")
    number = office.get_by_role("columnheader", name="Número")
    search(office, "abierto")
    expect(chips(office)).to_have_count(1)
    number.get_by_role("button").click()
    expect(number).to_have_attribute("aria-sort", "ascending")
    office.get_by_role("button", name="Siguiente").click()
    expect(pager).to_contain_text("página 2")
    office.go_back()
    expect(pager).to_contain_text("página 1")
    expect(number).to_have_attribute("aria-sort", "ascending")
    office.go_back()
    expect(number).not_to_have_attribute("aria-sort", re.compile("."))
    expect(chips(office)).to_have_count(1)
    office.go_back()
    expect(chips(office)).to_have_count(0)
    office.go_forward()
    expect(chips(office)).to_have_text(["Estado es Abierto"])


@pytest.mark.parametrize("way", ["Back", "breadcrumb"])
def test_from_a_record_one_returns_to_the_same_list_as_far_down(office: Page, way: str) -> None:
    search(office, "abierto")
    expect(chips(office)).to_have_count(1)
    number = office.get_by_role("columnheader", name="Número")
    newest = numbers(office).first.inner_text()
    number.get_by_role("button").click()
    expect(numbers(office).first).not_to_have_text(newest)
    link = numbers(office).nth(40).get_by_role("link")
    shown = link.inner_text()
    link.scroll_into_view_if_needed()
    office.wait_for_function("scrollY > 300")
    before = office.evaluate("scrollY")
    reads = reads_of(office)
    link.click()
    expect(office.get_by_role("heading", level=1)).to_have_text(f"Pedido de venta {shown}")
    if way == "Back":
        office.go_back()
    else:
        office.get_by_role("navigation", name="Ruta").get_by_role("link", name="Pedidos de venta").click()
    expect(chips(office)).to_have_text(["Estado es Abierto"])
    expect(number).to_have_attribute("aria-sort", "ascending")
    expect(numbers(office).nth(40)).to_have_text(shown)
    office.wait_for_function(f"Math.abs(scrollY - {before}) < 3")
    assert len(reads) == 1


def test_a_view_keeps_columns_conditions_and_sorting_under_a_name_and_as_a_link(
    office: Page, person: OpenPerson, program: Ask
) -> None:
    office.get_by_role("button", name="Columnas").click()
    office.get_by_role("checkbox", name="Moneda").uncheck()
    search(office, "abierto")
    date = office.get_by_role("columnheader", name="Fecha", exact=True)
    date.get_by_role("button").click()
    expect(date).to_have_attribute("aria-sort", "ascending")
    heads = office.get_by_role("columnheader").evaluate_all(HEADS)
    office.get_by_role("button", name="Vistas").click()
    office.get_by_label("Nombre de la vista").fill("Por entregar")
    office.keyboard.press("Enter")
    view = office.get_by_role("link", name="Por entregar")
    expect(view).to_have_attribute("aria-current", "true")
    office.get_by_role("button", name="Copiar enlace").click()
    expect(office.get_by_text("Enlace copiado")).to_be_visible()
    link = office.evaluate("navigator.clipboard.readText()")
    kept = office.evaluate(
        "Object.entries(localStorage).filter(([name]) => name.startsWith('consola.vistas'))"
    )
    ((name, content),) = kept
    assert json.loads(name.removeprefix("consola.vistas.")) == ["ana", "Orders"]
    assert json.loads(content) == {"Por entregar": link[link.index("#") :]}

    office.evaluate("localStorage.removeItem('consola.lista.Orders')")
    open_page(office, "/erp/Orders")
    expect(office.get_by_role("columnheader", name="Moneda")).to_be_visible()
    office.get_by_role("button", name="Vistas").click()
    view.click()
    expect(chips(office)).to_have_text(["Estado es Abierto"])
    expect(date).to_have_attribute("aria-sort", "ascending")
    assert office.get_by_role("columnheader").evaluate_all(HEADS) == heads
    office.go_back()
    expect(chips(office)).to_have_count(0)
    office.get_by_role("button", name="Quitar la vista Por entregar").click()
    expect(view).to_have_count(0)

    assert program("PUT", "/api/permissions/luis", {"paths": ["/ventas/pedidos"]}).status == 200
    other = person(WIDE)
    other.goto(link)
    sign_in(other, "gateway", "luis", "luis-demo")
    expect(chips(other)).to_have_text(["Estado es Abierto"])
    expect(numbers(other).first).to_be_visible()
    assert other.get_by_role("columnheader").evaluate_all(HEADS) == heads


@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["wide", "phone"])
def test_search_controls_are_accessible_and_fit(person: OpenPerson, width: int) -> None:
    page = person(width)
    open_page(page, "/erp/Orders")
    sign_in(page, "gateway", "ana", "ana-demo")
    search(page, "este mes")
    expect(chips(page)).to_have_count(1)
    page.get_by_role("button", name="Vistas").click()
    page.get_by_label("Nombre de la vista").fill("Del mes")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Del mes")).to_be_visible()
    page.get_by_role("button", name="Condiciones").click()
    expect(options(page).first).to_be_visible()
    found = Axe().run(page, options=RULES).response["violations"]
    assert [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]] == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
