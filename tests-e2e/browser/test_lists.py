"""A list of records: its count and files above, one line a row, moved through by the arrow keys."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from tools.browser.launching import PHONE
from tools.browser.people import open_page, search, sign_in

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
    return int(re.sub(r"\D", "", page.locator(".pager.above strong").inner_text()))


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
    everything = above.locator("strong").inner_text()
    search(office, "nombre del socio Pérez")
    expect(above.locator("strong")).not_to_have_text(everything)
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
    seen = "rows => rows.filter(row => row.getBoundingClientRect().bottom <= innerHeight).length"
    assert page.locator("table.records > tbody > tr").evaluate_all(seen) >= 6
