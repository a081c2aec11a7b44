"""Chromium's traces: tasks that block the page, layout shifts, and transferred bytes."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.people import open_page, paste, sign_in
from tools.browser.scenery import WAREHOUSE
from tools.browser.tracing import Trace, traced

Ask = Callable[..., Answer]
ROWS = 500
LONGEST_CPU_MS = 5 * 200
"""Five times what docs/console.md promises of a quiet machine, where a task takes as long as it works."""
UNSEEN = 0.001
"""A layout shift that no eye sees; from 0.1 on it would be called bad."""
FIRST_PAGE_BYTES = 150 * 1024


def demand_smooth(seen: Trace, what: str) -> None:
    """Fail where a task held the page up or something moved; tell the figures in any case."""
    longest = [f"{each.cpu_ms:.0f} ms of work in {each.wall_ms:.0f} ms" for each in seen.tasks[:3]]
    print(f"{what}: longest tasks {longest}, shifts {seen.shifts}")
    assert seen.tasks, "nothing was traced"
    assert seen.tasks[0].cpu_ms < LONGEST_CPU_MS
    assert sum(seen.shifts) < UNSEEN


def drawn(page: Page, table: str) -> None:
    """Wait for all rows, by a plain selector: reading 12,000 roles would hold the page up itself."""
    page.locator(f"table[aria-label='{table}'] > tbody > tr").nth(ROWS - 1).wait_for(state="attached")


def test_the_first_page_is_small_and_stable(browser: Browser, page: Page) -> None:
    with traced(browser, page) as trace:
        open_page(page)
        page.get_by_role("button", name="Entrar").first.wait_for()
        page.wait_for_load_state("networkidle")
    demand_smooth(trace, f"first page, {trace.wire_bytes} bytes")
    assert 10_000 < trace.wire_bytes < FIRST_PAGE_BYTES


def test_five_hundred_query_rows_appear_without_long_tasks(browser: Browser, page: Page) -> None:
    open_page(page, "/informes/consulta/stock_por_bodega")
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_label("Bodega").select_option("01")
    with traced(browser, page) as trace:
        page.locator("form button[type=submit]").click()
        drawn(page, "Resultado")
    demand_smooth(trace, "a query")


def test_five_hundred_pasted_rows_appear_without_long_tasks(
    browser: Browser, page: Page, codes: list[str]
) -> None:
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_label("Bodega").select_option(WAREHOUSE)
    rows = "".join(f"{code}\t1\r\n" for code in codes)
    with traced(browser, page) as trace:
        paste(page, page.get_by_label("Planilla"), f"Código\tCantidad\r\n{rows}")
        drawn(page, "Artículos de la planilla")
    demand_smooth(trace, "a pasted sheet")
    with traced(browser, page) as trace:
        page.locator("[aria-label='Qué puede volver'] button.main").click()
        page.locator("dialog .dialog-foot button").click()  # another one is open from this warehouse
        drawn(page, "Líneas de la planificación")
    demand_smooth(trace, "the planning of it")
    with traced(browser, page) as trace:
        documents = page.locator("table[aria-label='Documentos por proveedor']")
        documents.locator(".opener").first.click()
        documents.locator("tr.inside table").wait_for()
        page.locator("[aria-label='Líneas por estado'] button").nth(1).click()
        page.locator("[aria-label='Líneas por estado'] button").first.click()
        drawn(page, "Líneas de la planificación")
    demand_smooth(trace, "its documents and states")
    demand_whole(page, codes[-1])


def demand_whole(page: Page, last: str) -> None:
    """Fail unless rows out of sight are not drawn, can be reached, and stand in the columns of the head."""
    row = page.locator("table[aria-label='Líneas de la planificación'] > tbody > tr").last
    is_drawn = "row => row.checkVisibility({contentVisibilityAuto: true})"
    assert not row.evaluate(is_drawn), "the last slice is drawn although nobody sees it"
    page.keyboard.press("Control+A")
    page.wait_for_function(f"() => getSelection().toString().includes({last!r})")  # all of it can be copied
    page.evaluate("getSelection().empty()")
    page.wait_for_function(
        "row => !row.checkVisibility({contentVisibilityAuto: true})", arg=row.element_handle()
    )
    button = page.get_by_role("button", name=f"Cambiar {last}", exact=True)
    button.focus()
    edges = "row => [...row.cells].map(cell => Math.round(cell.getBoundingClientRect().left))"
    head = page.locator("table[aria-label='Líneas de la planificación'] > thead > tr")
    expect(row).to_be_in_viewport()
    assert row.evaluate(is_drawn)
    assert row.evaluate(edges) == head.evaluate(edges)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


@pytest.fixture
def codes(program: Ask) -> list[str]:
    """Codes of as many items, most of which can't go back."""
    found: list[str] = []
    while len(found) < ROWS:
        path = f"/api/sl/Items?$select=ItemCode&$orderby=ItemCode&$top=100&$skip={len(found)}"
        page = [each["ItemCode"] for each in program("GET", path).body["value"]]
        assert page, f"the company has {len(found)} items"
        found += page
    return found[:ROWS]
