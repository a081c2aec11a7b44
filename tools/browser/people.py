"""Actions of users on the console's pages, by the visible texts."""

import re

from playwright.sync_api import Locator, Page

CONSOLE = "/consola/"
DOORS = {
    "gateway": ("Registros, informes y administración", "Usuario web"),
    "returns": ("Devoluciones a proveedores", "Usuario del ERP"),
}


def open_page(page: Page, path: str = "/") -> None:
    """Load a page of the console by its address and wait for its title."""
    page.goto("about:blank")  # Without this, only the hash would change and the page would not load again.
    page.goto(f"{CONSOLE}#{path}", wait_until="domcontentloaded")
    page.locator("main h1").wait_for(state="attached")


def sign_in(page: Page, door: str, user: str, password: str) -> None:
    """Fill in the visible sign-in form of `gateway` or `returns` with the keyboard."""
    panel, label = sign_in_panel(page, door)
    panel.get_by_label(label).focus()
    page.keyboard.insert_text(user)
    page.keyboard.press("Tab")
    page.keyboard.insert_text(password)
    page.keyboard.press("Enter")
    panel.get_by_label(label).wait_for(state="detached")


def sign_in_panel(page: Page, door: str) -> tuple[Locator, str]:
    """Return the sign-in form of a service and the label of its user field."""
    purpose, label = DOORS[door]
    form = page.locator("form.sign-in")
    form.wait_for(state="attached")
    choice = form.get_by_role("radio", name=purpose)
    if choice.count():
        choice.check()
    closed = page.locator("details:not([open]) > summary").get_by_text(f"Entrar también en {purpose}")
    if closed.count():
        closed.click()
    return form, label


def search_box(page: Page) -> Locator:
    """Return the search box of a list."""
    return page.get_by_role("combobox", name=re.compile("^Buscar por "))


def search(page: Page, words: str) -> None:
    """Search for words, or choose the first suggested condition, with the keyboard."""
    search_box(page).focus()
    page.keyboard.insert_text(words)
    page.keyboard.press("Enter")


def paste(page: Page, where: Locator, text: str) -> None:
    """Paste a text from the clipboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    where.focus()
    page.keyboard.press("Control+V")


def resolve(page: Page) -> None:
    """Wait until the page has loaded all its data."""
    page.locator("main h1").wait_for(state="attached")
    page.locator(".waiting").first.wait_for(state="detached")


_OPEN = """
() => {
  const folded = [...document.querySelectorAll("main details:not([open])")];
  for (const each of folded) each.open = true;
  const openers = [...document.querySelectorAll("main button.opener[aria-expanded=false]")];
  for (const each of openers) each.click();
  return folded.length + openers.length;
}
"""


def open_all(page: Page) -> int:
    """Open every folded part of the page, including nested ones; return their number."""
    opened = 0
    while found := page.evaluate(_OPEN):
        opened += found
        page.wait_for_load_state("networkidle")
        resolve(page)
    return opened
