"""Drafts beyond the tab: for the same person of the same company, listed at home, gone with the sign-out."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tools.browser.people import open_page, sign_in

TYPED = "a medio escribir"
SIGN_OUT = "Salir de Pasarela del ERP"


def kept(page: Page) -> list[str]:
    """Return the names of the drafts that the browser keeps."""
    names: list[str] = page.evaluate("Object.keys(localStorage).filter(each => each.includes('borrador/'))")
    return names


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator with a new order half typed."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    open_page(page, "/crear/Orders")
    page.get_by_label("Comentarios").fill(TYPED)
    return page


def closed(page: Page) -> BrowserContext:
    """Close the tab, and return the browser that is left."""
    context = page.context
    context.new_page()
    page.close()
    return context


def test_a_draft_is_listed_on_the_home_page_and_can_be_continued(office: Page) -> None:
    page = closed(office).pages[-1]
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_role("listitem").get_by_role("link", name="Crear: Pedido de venta").click()
    page.get_by_role("button", name="Recuperarlo").click()
    expect(page.get_by_label("Comentarios")).to_have_value(TYPED)


def test_a_draft_is_removed_at_home(office: Page) -> None:
    page = closed(office).pages[-1]
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_role("button", name="Descartar lo escrito en Crear: Pedido de venta").click()
    expect(page.get_by_role("heading", name="Sin guardar")).to_have_count(0)
    assert kept(page) == []


def test_drafts_of_another_user_on_the_same_machine_are_not_offered(office: Page) -> None:
    page = closed(office).pages[-1]
    open_page(page)
    sign_in(page, "gateway", "carmen", "carmen-demo")
    expect(page.get_by_text("Entró como")).to_be_visible()
    expect(page.get_by_role("heading", name="Sin guardar")).to_have_count(0)
    open_page(page, "/crear/Orders")
    expect(page.get_by_label("Código del socio")).to_be_visible()
    expect(page.get_by_role("button", name="Recuperarlo")).to_have_count(0)


def test_drafts_of_another_company_are_not_offered(office: Page) -> None:
    page = closed(office).pages[-1]
    open_page(page)
    (name,) = kept(page)
    other = re.sub("SBO_DEMO", "SBO_OTRA", name)
    assert other != name, "the company's database is a part of the name"
    move = "([name, other]) => { localStorage[other] = localStorage[name]; localStorage.removeItem(name); }"
    page.evaluate(move, [name, other])
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_text("Entró como")).to_be_visible()
    expect(page.get_by_role("heading", name="Sin guardar")).to_have_count(0)


def test_signing_out_deletes_the_drafts(office: Page) -> None:
    assert len(kept(office)) == 1
    office.get_by_role("button", name=SIGN_OUT).click()
    office.get_by_role("button", name="Salir sin guardar").click()
    expect(office.get_by_role("button", name="Entrar", exact=True)).to_be_visible()
    assert kept(office) == []


def test_a_draft_is_kept_for_seven_days(office: Page) -> None:
    (name,) = kept(office)
    draft = json.loads(office.evaluate("name => localStorage[name]", name))
    draft["at"] -= 7 * 24 * 3600_000
    page = closed(office).pages[-1]
    open_page(page)
    page.evaluate("([name, text]) => { localStorage[name] = text; }", [name, json.dumps(draft)])
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_text("Entró como")).to_be_visible()
    expect(page.get_by_role("heading", name="Sin guardar")).to_have_count(0)
    assert kept(page) == []


def test_drafts_end_with_the_tab_where_a_person_wants_that(office: Page) -> None:
    office.get_by_label("Borradores").select_option("esta pestaña")
    assert kept(office) == []
    office.get_by_label("Comentarios").fill(f"{TYPED} otra vez")
    assert kept(office) == []
    office.once("dialog", lambda dialog: dialog.accept())
    office.reload()
    office.get_by_role("button", name="Recuperarlo").click()  # the tab has it
    expect(office.get_by_label("Comentarios")).to_have_value(f"{TYPED} otra vez")
    office.get_by_label("Borradores").select_option("este equipo")
    office.get_by_label("Comentarios").fill(TYPED)
    assert len(kept(office)) == 1
