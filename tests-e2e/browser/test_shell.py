"""The frame of the console: what is served, signing in and out, finding one's way."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tools.browser.people import CONSOLE, open_page, sign_in, sign_in_panel
from tools.browser.watching import noted
from tools.packages import ROOT
from tools.stack.company import ERP_PASSWORD, WAREHOUSE_USER

FOLDER = ROOT / "deploy/console"
FIRST_PAGE_BYTES = 150 * 1024


def test_a_web_user_signs_in_and_out_by_the_keyboard(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_text("Entró como")).to_be_visible()
    page.get_by_role("button", name="Salir de Pasarela del ERP").press("Enter")
    panel, label = sign_in_panel(page, "gateway")
    expect(panel.get_by_label(label)).to_be_visible()
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0


def test_a_wrong_password_is_told_in_the_services_words_and_keeps_the_name(page: Page) -> None:
    open_page(page)
    panel, label = sign_in_panel(page, "gateway")
    panel.get_by_label(label).fill("ana")
    panel.get_by_label("Contraseña").fill("no es esta")
    panel.get_by_role("button", name="Entrar").click()
    expect(panel.get_by_role("alert")).to_contain_text("invalid_credentials")
    expect(panel.get_by_label(label)).to_have_value("ana")


def test_a_page_of_returns_asks_who_comes_and_then_shows_itself(page: Page) -> None:
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    expect(page.get_by_label("Planilla")).to_be_visible()


def test_a_new_tab_asks_an_open_one_for_the_session(page: Page) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    other = page.context.new_page()
    open_page(other)
    expect(other.get_by_text("Entró como")).to_be_visible()
    page.get_by_role("button", name="Salir de Pasarela del ERP").click()
    panel, label = sign_in_panel(other, "gateway")
    expect(panel.get_by_label(label)).to_be_visible()


def test_the_title_takes_the_focus_after_a_move_and_the_skip_link_leads_to_it(page: Page) -> None:
    open_page(page)
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_role("link", name="Planificaciones").first.press("Enter")
    expect(page.get_by_role("heading", name="Planificaciones de devolución")).to_be_focused()
    expect(page).to_have_title("Planificaciones de devolución · Consola")
    page.get_by_role("link", name="Saltar al contenido").press("Enter")
    expect(page.locator("main h1")).to_be_focused()


def test_an_unknown_page_says_so(page: Page) -> None:
    open_page(page, "/nada/de/esto")
    expect(page.get_by_role("heading", name="Esta página no existe")).to_be_visible()


def test_the_first_page_is_small_and_nothing_on_it_moves(page: Page) -> None:
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(len(gzip.compress(answer.body()))) if answer.ok else None)
    open_page(page)
    page.get_by_role("button", name="Entrar").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes) < FIRST_PAGE_BYTES
    assert sum(noted(page)["shifts"]) == pytest.approx(0, abs=0.001)


def test_what_is_vendored_is_what_its_digests_say() -> None:
    folder = FOLDER / "vendor"
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = {name: told for told, name in (line.split() for line in lines)}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in scripts_and_licences(folder)
    }
    assert listed == found


def scripts_and_licences(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.suffix == ".mjs" or path.name.startswith("LICENSE")]


def test_no_page_holds_an_inline_script_or_style() -> None:
    text = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<style|style=|<script(?![^>]*\bsrc=)|\son[a-z]+=", text) == []


def test_the_console_keeps_no_secret_beyond_the_tab() -> None:
    kept = [
        path for path in FOLDER.rglob("modules/**/*.js") if "localStorage" in path.read_text(encoding="utf-8")
    ]
    assert kept == []


def test_the_address_without_its_slash_leads_to_the_console(page: Page) -> None:
    page.goto(CONSOLE.rstrip("/"), wait_until="domcontentloaded")
    expect(page.get_by_role("heading", name="Inicio")).to_be_visible()
