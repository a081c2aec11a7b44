"""A list of records: its count and files above, one line a row, moved through by the arrow keys."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from stack.exchange import Answer
from tools.browser.accessibility import violations
from tools.browser.launching import PHONE
from tools.browser.people import open_page, resolve, search, search_box, sign_in

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator before the orders."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    open_page(page, "/erp/Orders")
    expect(page.get_by_role("row")).to_have_count(52)
    return page


def links(page: Page) -> Locator:
    """Return the links that open the rows."""
    return page.locator("table.records > tbody > tr > th a")


def count_of(page: Page) -> int:
    """Return how many records the list says that there are."""
    return int(re.sub(r"\D", "", page.locator(".pager.above > strong").inner_text()))


def heights_of(page: Page) -> list[float]:
    """Return how high each row is, in pixels."""
    rows = page.locator("table.records > tbody > tr")
    heights: list[float] = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
    return heights


def test_arrow_keys_lead_through_the_rows_and_enter_opens_one(office: Page) -> None:
    rows = links(office)
    rows.first.focus()
    for key, at in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 49), ("Home", 0)):
        office.keyboard.press(key)
        expect(rows.nth(at)).to_be_focused()
    office.keyboard.press("ArrowUp")  # there is none above
    expect(rows.first).to_be_focused()
    number = rows.nth(1).inner_text()
    office.keyboard.press("ArrowDown")
    office.keyboard.press("Enter")
    expect(office.get_by_role("heading", level=1)).to_have_text(f"Pedido de venta {number}")


def test_arrow_keys_keep_their_meaning_elsewhere(office: Page) -> None:
    box = office.get_by_role("checkbox").nth(1)
    box.focus()
    office.keyboard.press("ArrowDown")
    expect(box).to_be_focused()


@pytest.mark.parametrize("page_number", ["999", "1e9", "0", "-3", "nada", "1.5"])
def test_an_address_with_a_page_that_is_not_there_shows_one_that_is(office: Page, page_number: str) -> None:
    pages = -(-count_of(office) // 50)
    open_page(office, f"/erp/Orders?pagina={page_number}")
    shown = pages if page_number in ("999", "1e9") else 1
    status = office.get_by_role("navigation", name="Páginas").get_by_role("status")
    expect(status).to_contain_text(f"página {shown} de {pages}")
    expect(links(office).first).to_be_visible()


def test_count_and_file_links_above_the_list_follow_the_search(office: Page) -> None:
    whole = count_of(office)
    above = office.locator(".pager.above")
    table = office.get_by_role("table", name="Pedidos de venta")
    box, rows = above.bounding_box(), table.bounding_box()
    assert box
    assert rows
    assert box["y"] < rows["y"]
    everything = above.locator("> strong").inner_text()
    search(office, "nombre del socio Pérez")
    expect(above.locator("> strong")).not_to_have_text(everything)
    assert count_of(office) < whole
    with office.expect_download():
        above.get_by_role("button", name="Descargar en CSV").click()


def test_rows_are_one_line_of_36_pixels(office: Page) -> None:
    heights = heights_of(office)
    assert len(heights) == 50
    assert {round(each) for each in heights} <= {36, 37}


def test_a_phone_shows_six_records_of_two_lines(person: OpenPerson) -> None:
    page = person(PHONE)
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    open_page(page, "/erp/Orders")
    expect(links(page)).to_have_count(50)
    assert max(heights_of(page)) <= 80
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    links(page).first.scroll_into_view_if_needed()
    page.evaluate(
        "scrollTo(0, document.querySelector('table.records').getBoundingClientRect().top + scrollY - 60)"
    )
    observed = "rows => rows.filter(row => row.getBoundingClientRect().bottom <= innerHeight).length"
    assert page.locator("table.records > tbody > tr").evaluate_all(observed) >= 6


def erp_reads(control: Ask) -> list[str]:
    """Return the queries of the ERP's list of orders since the last reset."""
    return [call["query"] for call in control("GET", "/calls").body["calls"] if call["path"] == "Orders"]


def test_all_records_are_added_up_in_one_call_once_somebody_asks(
    office: Page, control: Ask, program: Ask
) -> None:
    line = office.locator(".list-sums")
    expect(line).to_have_count(0)
    control("DELETE", "/calls")
    office.get_by_label("Sumar todos los registros").check()
    expect(line).to_contain_text(f"Total de {office.locator('.pager.above > strong').inner_text()}")
    [query] = erp_reads(control)
    assert "apply" in query
    sums = program("GET", "/api/sums/Orders?$select=DocTotal").body
    total = f"{sums['columns'][0]['sums'][0]['value']:,.0f}".replace(",", ".")
    expect(line).to_contain_text(f"Total: {total}")
    control("DELETE", "/calls")
    everything = office.locator(".pager.above > strong").inner_text()
    search(office, "estado abierto")  # the choice stays, and follows the search
    expect(office.locator(".pager.above > strong")).not_to_have_text(everything)
    expect(line).to_contain_text(f"Total de {office.locator('.pager.above > strong').inner_text()}")
    assert len([each for each in erp_reads(control) if "apply" in each]) <= 1
    office.get_by_role("button", name="Siguiente").click()
    resolve(office)
    assert len([each for each in erp_reads(control) if "apply" in each]) <= 1  # another page has the same sum
    open_page(office, "/erp/Orders")
    expect(office.get_by_label("Sumar todos los registros")).to_be_checked()
    assert violations(office) == []


def test_a_list_that_fits_on_its_page_is_added_up_here(office: Page, control: Ask) -> None:
    office.get_by_label("Sumar todos los registros").check()
    expect(office.locator(".list-sums")).to_be_visible()
    control("DELETE", "/calls")
    number = links(office).first.inner_text()
    search(office, f"número {number}")
    expect(links(office)).to_have_count(1)
    assert [each for each in erp_reads(control) if "apply" in each] == []


def test_an_erp_that_does_not_add_up_leaves_the_sum_of_the_page(office: Page) -> None:
    nothing: dict[str, object] = {"available": False, "count": None, "columns": []}
    office.route("**/api/sums/**", lambda route: route.fulfill(json=nothing))
    office.get_by_label("Sumar todos los registros").check()
    expect(office.get_by_text("Este ERP no suma listas enteras.")).to_be_visible()
    expect(office.get_by_text("Total de esta página")).to_be_visible()


def test_one_phrase_is_a_name_a_month_and_an_amount(office: Page, program: Ask) -> None:
    whole = count_of(office)
    december = "DocDate%20ge%20'2025-12-01'%20and%20DocDate%20le%20'2025-12-31'"
    [order] = program("GET", f"/api/sl/Orders?$top=1&$filter={december}").body["value"]
    word = max(re.findall(r"\w+", order["CardName"]), key=len).lower()
    search_box(office).focus()
    office.keyboard.insert_text(f"{word} diciembre de 2025 más de 1.000")
    offered = office.get_by_role("listbox", name="Lo que se puede buscar").get_by_role("option").first
    expect(offered).to_have_text(f"«{word}» y Fecha: diciembre de 2025 y Total > 1.000")
    office.keyboard.press("Enter")
    expect(
        office.get_by_role("list", name="Condiciones que se cumplen").get_by_role("listitem")
    ).to_have_count(3)
    expect(office.locator(".pager.above > strong")).not_to_have_text(f"{whole:,} registros".replace(",", "."))
    assert 0 < count_of(office) < whole
    office.get_by_role("button", name=f"Quitar «{word}»").click()
    expect(
        office.get_by_role("list", name="Condiciones que se cumplen").get_by_role("listitem")
    ).to_have_count(2)


def test_a_favourite_list_stands_in_the_navigation(office: Page) -> None:
    favourites = office.get_by_role("navigation", name="Principal").locator("div", has_text="Favoritos")
    expect(favourites.get_by_role("link", name="Pedidos de venta")).to_be_visible()
    open_page(office, "/erp")
    star = office.get_by_role("button", name="Favorito: Facturas de venta")
    expect(star).to_have_attribute("aria-pressed", "false")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    open_page(office, "/erp/Orders")
    office.get_by_role("button", name="Favorito", exact=True).click()
    expect(favourites.get_by_role("link", name="Pedidos de venta")).to_have_count(0)
    favourites.get_by_role("link", name="Facturas de venta").click()
    expect(office.get_by_role("heading", level=1)).to_have_text("Facturas de venta")


def test_a_list_that_takes_long_says_what_for_and_is_given_up(office: Page) -> None:
    office.route("**/api/sl/Invoices?**", lambda _: None)  # no answer comes
    open_page(office, "/erp/Invoices")
    expect(office.get_by_text("Leyendo facturas de venta…")).to_be_visible()
    office.get_by_role("button", name="Cancelar").click()
    expect(office.get_by_role("alert")).to_contain_text("Se canceló la lectura. No se cambió nada.")
    office.unroute("**/api/sl/Invoices?**")
    office.get_by_role("button", name="Intentar de nuevo").click()
    expect(links(office).first).to_be_visible()
