"""The frame of the console: what is served, signing in and out, finding one's way."""

import gzip
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.people import CONSOLE, open_page, resolve, sign_in, sign_in_panel
from tools.browser.watching import noted
from tools.packages import ROOT

Ask = Callable[..., Answer]
FOLDER = ROOT / "deploy/console"
FIRST_PAGE_BYTES = 60 * 1024
FIRST_PAGE_REQUESTS = 8


def test_a_web_user_signs_in_and_out_by_the_keyboard(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_text("Entró como")).to_be_visible()
    page.get_by_role("button", name="Salir de Pasarela del ERP").press("Enter")
    panel, label = sign_in_panel(page, "gateway")
    expect(panel.get_by_label(label)).to_be_visible()
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_the_chosen_theme_survives_a_reload(page: Page) -> None:
    open_page(page)
    look, body = page.get_by_label("Aspecto"), page.locator("body")
    light = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    look.select_option("oscuro")
    expect(body).not_to_have_css("background-color", light)
    page.reload()
    expect(look).to_have_value("oscuro")
    expect(body).not_to_have_css("background-color", light)
    look.select_option("sistema")
    expect(body).to_have_css("background-color", light)
    assert page.evaluate("localStorage.length") == 0


def test_a_wrong_password_shows_the_services_message_and_keeps_the_name(page: Page) -> None:
    open_page(page)
    panel, label = sign_in_panel(page, "gateway")
    panel.get_by_label(label).fill("ana")
    panel.get_by_label("Contraseña").fill("no es esta")
    panel.get_by_role("button", name="Entrar").click()
    expect(panel.get_by_role("alert")).to_contain_text("invalid_credentials")
    expect(panel.get_by_label(label)).to_have_value("ana")


def test_a_page_of_returns_requires_a_sign_in_and_then_opens(page: Page) -> None:
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    expect(page.get_by_label("Planilla")).to_be_visible()


def test_a_new_tab_gets_the_session_from_an_open_one(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    other = page.context.new_page()
    open_page(other)
    expect(other.get_by_text("Entró como")).to_be_visible()
    page.get_by_role("button", name="Salir de Pasarela del ERP").click()
    panel, label = sign_in_panel(other, "gateway")
    expect(panel.get_by_label(label)).to_be_visible()


def test_signing_in_again_in_one_tab_is_enough_for_all(page: Page, program: Ask) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    other = page.context.new_page()
    open_page(other)
    expect(other.get_by_text("Entró como")).to_be_visible()
    for tab in (page, other):
        resolve(tab)  # what the page at home reads late would open the dialog over the link
    assert program("DELETE", "/api/sessions/ana").status == 204
    for tab in (page, other):
        tab.get_by_role("link", name="Sesiones").first.click()
        expect(tab.get_by_role("dialog", name="Vuelva a entrar")).to_be_visible()
    other.get_by_role("dialog").get_by_label("Contraseña").fill("ana-demo")
    other.keyboard.press("Enter")
    for tab in (other, page):
        expect(tab.get_by_role("dialog")).to_have_count(0)
        expect(tab.get_by_role("table")).to_be_visible()


def test_another_user_in_another_tab_replaces_the_first_ones_data(page: Page) -> None:
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_label("Planilla").fill("escrito por el primero")
    first = page.locator(".person b").inner_text()
    other = page.context.new_page()
    open_page(other, "/devoluciones")
    expect(other.locator(".person b")).to_have_text(first)
    other.get_by_role("button", name="Salir de Devoluciones a proveedores").click()
    panel, label = sign_in_panel(page, "returns")
    expect(panel.get_by_label(label)).to_be_visible()
    sign_in(other, "returns", ERP_USER, ERP_PASSWORD)
    expect(other.locator(".person b")).not_to_have_text(first)
    expect(page.locator(".person b")).to_have_text(other.locator(".person b").inner_text())
    expect(page.get_by_label("Planilla")).to_have_value("")


def test_the_title_takes_the_focus_after_a_move_and_the_skip_link_leads_to_it(page: Page) -> None:
    open_page(page)
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_role("link", name="Planificaciones").first.press("Enter")
    expect(page.get_by_role("heading", name="Planificaciones de devolución")).to_be_focused()
    expect(page).to_have_title("Planificaciones de devolución · Consola")
    page.get_by_role("link", name="Saltar al contenido").press("Enter")
    expect(page.locator("main h1")).to_be_focused()


def test_a_history_leads_on_to_the_whole_audit(page: Page) -> None:
    open_page(page, "/historia/Orders/1")
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_role("heading", name="Historia", level=1)).to_be_visible()
    page.get_by_role("link", name="Auditoría").click()
    expect(page.get_by_role("heading", name="Auditoría", level=1)).to_be_visible()


def test_a_page_that_can_not_be_loaded_is_only_reported_when_opened(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/assets/reports-*.js", hold)
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_role("link", name="Trabajos").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_count(0)
    page.get_by_role("link", name="Sesiones").first.click()
    title = page.get_by_role("heading", name="Sesiones", level=1)
    expect(title).to_be_visible()
    with page.expect_response("**/assets/reports-*.js"):
        held[0].fulfill(status=503)
    page.wait_for_timeout(300)
    expect(title).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_unknown_page_is_reported(page: Page) -> None:
    open_page(page, "/nada/de/esto")
    expect(page.get_by_role("heading", name="Esta página no existe")).to_be_visible()


def test_the_first_page_is_small_and_has_no_layout_shifts(page: Page) -> None:
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(len(gzip.compress(answer.body()))) if answer.ok else None)
    open_page(page)
    page.get_by_role("button", name="Entrar").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) < FIRST_PAGE_BYTES
    assert len(sizes) <= FIRST_PAGE_REQUESTS
    assert sum(noted(page)["shifts"]) == pytest.approx(0, abs=0.001)


def test_vendored_files_match_their_digests() -> None:
    folder = FOLDER / "vendor"
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = {name: told for told, name in (line.split() for line in lines)}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in scripts_and_licences(folder)
    }
    assert listed == found


def scripts_and_licences(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.suffix == ".mjs" or path.name.startswith("LICENSE")]


def test_no_page_contains_an_inline_script_or_style() -> None:
    for page in (FOLDER / "index.html", FOLDER / "dist/index.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<style|style=|<script(?![^>]*\bsrc=)|\son[a-z]+=", text) == []


def test_only_one_module_stores_data_beyond_the_tab() -> None:
    kept = [
        path.name
        for path in FOLDER.rglob("modules/**/*.js")
        if "localStorage" in path.read_text(encoding="utf-8")
    ]
    assert kept == ["kept.js"]


def test_the_address_without_its_slash_leads_to_the_console(page: Page) -> None:
    page.goto(CONSOLE.rstrip("/"), wait_until="domcontentloaded")
    expect(page.get_by_role("heading", name="Entrar")).to_be_visible()


def test_requests_on_the_api_page_use_the_signed_in_session(page: Page) -> None:
    page.goto("/api/docs")
    for path, body in (
        ("/api/auth/login", '{"username": "ana", "password": "ana-demo"}'),
        ("/api/auth/me", None),
    ):
        operation = page.locator("details.operation").filter(has=page.get_by_text(path, exact=True))
        operation.locator("summary").first.click()
        if body is not None:
            operation.get_by_label("Body").fill(body)
        operation.get_by_role("button", name="Send").click()
        expect(operation.locator("pre").filter(has_text=f"{path}\n200")).to_be_visible()
    expect(page.get_by_label("Bearer token")).not_to_have_value("")


def test_requests_in_flight_at_sign_out_do_not_ask_for_a_new_sign_in(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    held: list[Route] = []

    def hold(orders: Route) -> None:
        held.append(orders)

    page.route("**/api/sl/Orders?*", hold)
    with page.expect_request("**/api/sl/Orders?*"):
        open_page(page, "/erp/Orders")

    def end(logout: Route) -> None:
        ended = {
            "title": "Unauthorized",
            "status": 401,
            "code": "session_expired",
            "detail": "La sesión terminó.",
        }
        held[0].fulfill(status=401, content_type="application/problem+json", body=json.dumps(ended))
        logout.continue_()

    page.route("**/api/auth/logout", end)
    page.get_by_role("button", name="Salir de Pasarela del ERP").click()
    expect(page.get_by_role("button", name="Entrar", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
