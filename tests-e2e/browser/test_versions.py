"""A tab that is open while another version of the console is put in place."""

import re

from playwright.sync_api import Page, Route, expect
from tools.browser.people import CONSOLE, open_page, sign_in

OFFER = "Versión nueva: actualizar"
LATER = "05:01"
"""Longer than the console waits between two looks."""


def replaced(page: Page) -> None:
    """Serve the console's page as another version would: with other names of its scripts."""

    def answer(route: Route) -> None:
        if route.request.resource_type == "document":
            return route.continue_()
        text = route.fetch().text()
        return route.fulfill(content_type="text/html", body=re.sub(r"core-\w+\.js", "core-AAAAAAAA.js", text))

    page.route(re.compile(f"{CONSOLE}$"), answer)


def test_the_same_version_is_not_offered(page: Page) -> None:
    page.clock.install()
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.clock.fast_forward(LATER)
    with page.expect_response(re.compile(f"{CONSOLE}$")):
        page.get_by_role("link", name="Sesiones").first.click()
    expect(page.get_by_role("heading", name="Sesiones", level=1)).to_be_visible()
    expect(page.get_by_role("button", name=OFFER)).to_have_count(0)


def test_a_new_version_is_offered_and_the_input_kept(page: Page, order: int) -> None:
    page.clock.install()
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    open_page(page, f"/erp/Orders/{order}")
    page.get_by_role("button", name="Cambiar").click()
    page.get_by_label("Comentarios").fill("a medio escribir")
    replaced(page)
    page.clock.fast_forward(LATER)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_role("button", name=OFFER).click()
    page.get_by_role("button", name="Recuperarlo").click()
    expect(page.get_by_label("Comentarios")).to_have_value("a medio escribir")
    expect(page.get_by_role("button", name=OFFER)).to_have_count(0)


def test_a_part_that_another_version_took_away_says_so_and_loads_the_new_one(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    replaced(page)
    gone = "**/assets/admin-*.js"
    page.route(gone, lambda route: route.fulfill(status=404))
    page.get_by_role("link", name="Sesiones").first.click()
    expect(page.get_by_role("alert")).to_contain_text("Hay una versión nueva de la consola")
    expect(page.get_by_role("button", name=OFFER)).to_be_visible()
    page.unroute(gone)
    page.get_by_role("button", name="Intentar de nuevo").click()
    expect(page.get_by_role("heading", name="Sesiones", level=1)).to_be_visible()


def test_no_version_is_offered_while_a_server_is_replaced(page: Page) -> None:
    page.clock.install()
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.route(
        re.compile(f"{CONSOLE}$"), lambda route: route.fulfill(status=503, body='src="core-AAAAAAAA.js"')
    )
    page.clock.fast_forward(LATER)
    with page.expect_response(re.compile(f"{CONSOLE}$")):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("button", name=OFFER)).to_have_count(0)


def test_the_second_load_only_requests_the_page_itself(page: Page) -> None:
    open_page(page)
    page.get_by_role("button", name="Entrar").first.wait_for()
    page.reload()
    page.get_by_role("button", name="Entrar").first.wait_for()
    page.wait_for_load_state("networkidle")
    entries = "performance.getEntriesByType('resource').map(each => [each.name, each.transferSize])"
    for name, size in page.evaluate(entries):
        assert (size == 0) == ("/assets/" in name), name
