"""Ctrl+K: pages, kinds of records, a document by its number, a partner or an item by code or name."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, expect
from stack.exchange import Answer
from tools.browser.people import open_page, sign_in

Ask = Callable[..., Answer]
FIELD = "Página, registro, número, socio o artículo"


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def test_a_partner_is_reached_by_a_part_of_the_name_without_the_mouse(office: Page, program: Ask) -> None:
    partner = program("GET", "/api/sl/BusinessPartners/C00001?$select=CardCode,CardName").body
    reads: list[str] = []

    def note(request: Request) -> None:
        if "/api/sl/" in request.url:
            reads.append(request.url)

    office.on("request", note)
    office.keyboard.press("Control+k")
    expect(office.get_by_role("searchbox", name=FIELD)).to_be_focused()
    office.keyboard.type(partner["CardName"][:12].lower(), delay=20)
    shown = office.get_by_role("link", name=partner["CardCode"])
    expect(shown).to_be_visible()
    assert len(reads) == 2, reads
    while not shown.evaluate("each => each === document.activeElement"):
        office.keyboard.press("ArrowDown")
    office.keyboard.press("Enter")
    expect(office).to_have_url(re.compile(f"#/erp/BusinessPartners/{partner['CardCode']}$"))
    expect(office.get_by_role("dialog")).to_have_count(0)


def test_a_document_is_reached_by_its_number_and_a_page_by_its_name(
    office: Page, program: Ask, order: int
) -> None:
    number = program("GET", f"/api/sl/Orders/{order}?$select=DocNum").body["DocNum"]
    office.get_by_role("button", name="Ir a…").click()
    office.get_by_role("searchbox", name=FIELD).fill(str(number))
    office.get_by_role("link", name=f"Pedidos de venta con número {number}").click()
    expect(office.get_by_role("table", name="Pedidos de venta").get_by_role("rowheader")).to_have_text(
        [str(number)]
    )
    office.keyboard.press("Control+k")
    expect(office.get_by_role("searchbox", name=FIELD)).to_be_focused()
    office.keyboard.type("auditoria")
    office.keyboard.press("Enter")
    expect(office.get_by_role("heading", name="Auditoría", level=1)).to_be_visible()


def test_without_a_session_the_palette_finds_only_pages_and_sends_no_request(page: Page) -> None:
    open_page(page)
    page.on("request", lambda request: pytest.fail(request.url) if "/api/sl" in request.url else None)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("searchbox", name=FIELD)).to_be_focused()
    page.keyboard.type("planif")
    expect(page.get_by_role("status").filter(has_text="1 resultado")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_erp_that_does_not_answer_leaves_the_pages(office: Page) -> None:
    office.route(
        "**/api/sl/Items*", lambda route: route.fulfill(status=503, json={"code": "erp_unavailable"})
    )
    office.keyboard.press("Control+k")
    expect(office.get_by_role("searchbox", name=FIELD)).to_be_focused()
    office.keyboard.type("permisos")
    expect(office.get_by_text("El ERP no respondió")).to_be_visible()
    expect(office.get_by_role("dialog").get_by_role("link", name="Permisos")).to_be_visible()
