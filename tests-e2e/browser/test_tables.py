"""Features of every table: sums, column widths, dense rows, links of codes."""

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from playwright.sync_api import Locator, Page, expect
from stack.exchange import Answer
from tools.browser.launching import PHONE
from tools.browser.people import open_page, search, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def foot(page: Page, table: str) -> Locator:
    """Return the row of sums of a table."""
    return page.get_by_role("table", name=table).locator("tfoot").get_by_role("row")


def in_figures(value: float | Decimal) -> str:
    """Write a number as the console does."""
    return f"{value:,.6f}".rstrip("0").rstrip(".").translate(str.maketrans(",.", ".,"))


@pytest.fixture
def mixed(program: Ask, scenery: Scenery) -> int:
    """An order in dollars, whose lines are counted in two units."""
    first, second = scenery.items[:2]
    lines = [
        {"ItemCode": first, "Quantity": 2.1, "UnitPrice": 10, "MeasureUnit": "UN"},
        {"ItemCode": second, "Quantity": 0.2, "UnitPrice": 20, "MeasureUnit": "UN"},
        {"ItemCode": second, "Quantity": 3, "UnitPrice": 5, "MeasureUnit": "CJ"},
    ]
    body = {"CardCode": "C00001", "DocDueDate": "2030-12-31", "DocCurrency": "USD", "DocumentLines": lines}
    made = program("POST", "/api/sl/Orders", body)
    assert made.status == 201, made.body
    number: int = made.body["DocEntry"]
    return number


def test_sums_are_shown_per_unit_and_currency(office: Page, program: Ask, mixed: int) -> None:
    lines = program("GET", f"/api/sl/Orders/{mixed}").body["DocumentLines"]
    open_page(office, f"/erp/Orders/{mixed}")
    sums = foot(office, "Líneas")
    expect(sums.get_by_role("rowheader")).to_have_text("Total")
    titles = office.get_by_role("table", name="Líneas").get_by_role("columnheader").all_inner_texts()
    at = {title: place for place, title in enumerate(titles)}
    cells = sums.locator("th, td")
    expect(cells.nth(at["Cantidad"]).locator(".sum")).to_have_text(["2,3 UN", "3 CJ"])
    total = in_figures(sum(Decimal(str(line["LineTotal"])) for line in lines))
    expect(cells.nth(at["Total"]).locator(".sum")).to_have_text([f"{total} CLP"])
    expect(cells.nth(at["Precio unitario"])).to_have_text("")  # prices add up to nothing


def test_a_document_in_another_currency_shows_both_totals_under_their_own_codes(
    office: Page, program: Ask, scenery: Scenery
) -> None:
    lines = [{"ItemCode": scenery.items[0], "Quantity": 1, "UnitPrice": 4350}]
    body = {"CardCode": "C00001", "DocDueDate": "2030-12-31", "DocCurrency": "USD", "DocRate": 898}
    made = program("POST", "/api/sl/Orders", body | {"DocumentLines": lines})
    assert made.status == 201, made.body
    assert (made.body["DocTotalFc"], made.body["DocTotal"]) == (5176.5, 4648497)
    open_page(office, f"/erp/Orders/{made.body['DocEntry']}")
    totals = office.get_by_role("region", name="Totales")
    expect(totals).to_contain_text("5.176,50 USD")
    expect(totals).to_contain_text("Total en CLP4.648.497 CLP")
    main = office.get_by_role("region", name="Datos principales")
    expect(main).to_contain_text("5.176,50 USD · 4.648.497 CLP")
    rows = office.get_by_role("table", name="Líneas").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("4.350,00 USD · 3.906.300 CLP")
    expect(office.get_by_role("main")).not_to_contain_text("4.648.497 USD")
    open_page(office, "/erp/Orders")
    row = office.get_by_role("row").filter(has_text=str(made.body["DocNum"]))
    expect(row).to_contain_text("5.176,50 USD · 4.648.497 CLP")


def test_a_list_of_several_pages_says_that_its_sum_is_of_this_one(office: Page, program: Ask) -> None:
    open_page(office, "/erp/Orders")
    sums = foot(office, "Pedidos de venta")
    expect(sums.get_by_role("rowheader")).to_have_text("Total de esta página")
    shown = "$orderby=DocEntry%20desc&$top=50&$select=DocTotal"
    rows = program("GET", f"/api/sl/Orders?{shown}").body["value"]
    total = in_figures(sum(Decimal(str(row["DocTotal"])) for row in rows))
    expect(sums.locator(".sum")).to_have_text([f"{total} CLP"])
    number = program("GET", "/api/sl/Orders?$top=1&$orderby=DocEntry").body["value"][0]["DocNum"]
    search(office, f"número <= {number + 2}")
    expect(sums.get_by_role("rowheader")).to_have_text("Total")
    search(office, f"número {number}")
    expect(office.get_by_role("row")).to_have_count(2)  # one alone adds up to nothing else


def test_the_currency_of_a_sum_is_read_along_and_currencies_stay_apart(
    office: Page, mixed: int, order: int
) -> None:
    with office.expect_request(lambda each: "/api/sl/Orders?" in each.url) as read:
        open_page(office, "/erp/Orders?columnas=DocNum,DocTotalFc")
    assert "$select=DocEntry%2CDocNum%2CDocTotalFc%2CDocCurrency" in read.value.url
    expect(foot(office, "Pedidos de venta").locator(".sum").filter(has_text="USD")).to_have_count(1)
    expect(foot(office, "Pedidos de venta").locator(".sum").filter(has_text="CLP")).to_have_text("0 CLP")


def test_a_query_shows_sums_of_its_declared_measures(office: Page) -> None:
    open_page(office, "/informes/consulta/stock_por_bodega")
    office.get_by_label("Bodega").select_option("01")
    office.get_by_role("button", name="Consultar").press("Enter")
    sums = foot(office, "Resultado")
    head = office.get_by_role("table", name="Resultado").get_by_role("columnheader")
    expect(head.nth(4)).to_have_text("En bodega")
    expect(sums.locator("th, td").nth(4).locator(".sum").first).to_have_text(re.compile(r"^[\d.,]+\s\w+$"))
    expect(sums.locator("th, td").nth(2)).to_have_text("")


def width_of(head: Locator) -> float:
    """Return how wide a column is."""
    box = head.bounding_box()
    assert box is not None
    return box["width"]


def test_columns_are_made_wider_by_the_keyboard_and_by_the_mouse_and_stay_so(office: Page) -> None:
    open_page(office, "/erp/Orders")
    head = office.get_by_role("columnheader", name="Fecha", exact=True)
    other = office.get_by_role("columnheader", name="Vencimiento", exact=True)
    before, beside = width_of(head), width_of(other)
    grip = office.get_by_role("separator", name="Ancho de Fecha")
    expect(grip).to_have_attribute("aria-valuenow", str(round(before)))
    grip.focus()
    for _ in range(3):
        office.keyboard.press("ArrowRight")
    expect(grip).to_have_attribute("aria-valuenow", str(round(before + 48)))
    expect(head).to_have_css("width", f"{round(before + 48)}px")
    assert width_of(other) == pytest.approx(beside, abs=1)
    edge = grip.bounding_box()
    assert edge is not None
    office.mouse.move(edge["x"] + 3, edge["y"] + 5)
    office.mouse.down()
    office.mouse.move(edge["x"] + 63, edge["y"] + 5, steps=4)
    office.mouse.up()
    expect(head).to_have_css("width", f"{round(before + 48) + 60}px")
    expect(head).not_to_have_attribute("aria-sort", re.compile("."))
    open_page(office, "/erp/Orders")
    assert width_of(head) == pytest.approx(before + 108, abs=3)
    office.get_by_role("button", name="Columnas").click()
    shown = office.get_by_role("checkbox", name="Fecha", exact=True)
    shown.uncheck()
    shown.check()
    assert width_of(head) == pytest.approx(before + 108, abs=3)
    grip.press("Delete")
    expect(office.get_by_role("table", name="Pedidos de venta")).not_to_have_class(re.compile("sized"))
    grip.press("ArrowLeft")
    expect(office.get_by_role("table", name="Pedidos de venta")).to_have_class(re.compile("sized"))
    office.get_by_role("button", name="Como al principio").click()
    expect(office.get_by_role("table", name="Pedidos de venta")).not_to_have_class(re.compile("sized"))
    assert "widths" not in office.evaluate("localStorage.getItem('consola.lista.Orders')")


def test_widening_a_column_keeps_a_long_table_aligned(office: Page, program: Ask, scenery: Scenery) -> None:
    lines = [{"ItemCode": scenery.items[0], "Quantity": 1, "UnitPrice": 10}] * 120
    body = {"CardCode": "C00001", "DocDueDate": "2030-12-31", "DocumentLines": lines}
    number = program("POST", "/api/sl/Orders", body).body["DocEntry"]
    open_page(office, f"/erp/Orders/{number}")
    table = office.get_by_role("table", name="Líneas")
    expect(table.get_by_role("row")).to_have_count(122)
    before = width_of(table.get_by_role("columnheader").nth(1))
    office.get_by_role("separator", name="Ancho de Artículo").press("ArrowRight")
    for row in (0, 1, 120, 121):
        cell = table.get_by_role("row").nth(row).locator("th, td").nth(1)
        assert width_of(cell) == pytest.approx(before + 16, abs=2)


def test_a_long_table_that_is_wider_than_its_box_shows_all_of_its_columns(
    office: Page, program: Ask, scenery: Scenery
) -> None:
    lines = [{"ItemCode": scenery.items[0], "Quantity": 1, "UnitPrice": 1000 + place} for place in range(60)]
    body = {"CardCode": "C00001", "DocDueDate": "2030-12-31", "DocumentLines": lines}
    made = program("POST", "/api/sl/Orders", body)
    assert made.status == 201, made.body
    office.set_viewport_size({"width": 1000, "height": 800})
    open_page(office, f"/erp/Orders/{made.body['DocEntry']}")
    table = office.get_by_role("table", name="Líneas")
    expect(table).to_have_class(re.compile("steady"))
    box, whole = table.evaluate("table => [table.parentElement.clientWidth, table.scrollWidth]")
    slices = table.evaluate("table => [...table.tBodies].map(each => each.clientWidth)")
    assert (whole > box, len(slices) > 1) == (True, True)
    assert min(slices) >= whole - 1


def test_rows_can_be_shown_closer_together(office: Page) -> None:
    open_page(office, "/erp/Orders")
    row = office.get_by_role("row").nth(1)
    tall = row.evaluate("row => row.offsetHeight")
    office.get_by_role("combobox", name="Filas").select_option("compactas")
    assert row.evaluate("row => row.offsetHeight") < tall
    office.reload()
    expect(office.get_by_role("combobox", name="Filas")).to_have_value("compactas")
    expect(row).to_be_visible()
    assert row.evaluate("row => row.offsetHeight") < tall
    office.get_by_role("combobox", name="Filas").select_option("cómodas")
    assert row.evaluate("row => row.offsetHeight") == tall


def test_a_code_in_a_list_leads_to_its_record(office: Page) -> None:
    open_page(office, "/erp/Orders")
    office.get_by_role("row").nth(1).get_by_role("link").nth(1).press("Enter")
    expect(office).to_have_url(re.compile("#/erp/BusinessPartners/C"))


def test_names_of_codes_are_read_on_request_once_per_resource(
    office: Page, control: Ask, program: Ask, order: int
) -> None:
    house = program("GET", f"/api/sl/Orders/{order}").body["DocumentLines"][0]["WarehouseCode"]
    name = program("GET", f"/api/sl/Warehouses/{house}").body["WarehouseName"]
    open_page(office, f"/erp/Orders/{order}")
    link = office.get_by_role("table", name="Líneas").get_by_role("link", name=house).first
    expect(link).to_have_text(house)
    control("DELETE", "/calls")
    office.get_by_label("Con los nombres de los códigos").press("Space")
    expect(link).to_have_text(f"{house} · {name}")
    paths = [each["path"].partition("?")[0] for each in control("GET", "/calls").body["calls"]]
    assert "Warehouses" in paths
    assert not {"BusinessPartners", "Items"} & set(paths)  # their names stand in the document
    assert len(paths) == len(set(paths))
    office.reload()
    expect(link).to_have_text(f"{house} · {name}")
    office.get_by_label("Con los nombres de los códigos").uncheck()
    expect(link).to_have_text(house)
    control("DELETE", "/calls")
    office.reload()
    expect(link).to_have_text(house)
    assert "Warehouses" not in {
        each["path"].partition("?")[0] for each in control("GET", "/calls").body["calls"]
    }


def test_codes_in_a_list_are_named_too(office: Page) -> None:
    open_page(office, "/erp/Items?columnas=ItemCode,ItemsGroupCode")
    code = office.get_by_role("row").nth(1).get_by_role("link").nth(1)
    expect(code).to_have_text(re.compile(r"^\d+$"))
    office.get_by_label("Con los nombres de los códigos").check()
    expect(code).to_have_text(re.compile(r"^\d+ · \w"))


def test_lines_are_sorted_on_a_phone_and_their_sums_are_a_card(person: OpenPerson, mixed: int) -> None:
    page = person(PHONE)
    open_page(page, f"/erp/Orders/{mixed}")
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_label("Ordenar por").select_option("Cantidad ↓")
    rows = page.get_by_role("table", name="Líneas").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("CJ")
    expect(rows.last).to_contain_text("2,3 UN")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
