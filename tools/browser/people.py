"""What people do on the console's pages, by the words that they see."""

import re

from playwright.sync_api import Locator, Page

CONSOLE = "/consola/"
DOORS = {
    "gateway": ("Registros, informes y administración", "Usuario web"),
    "returns": ("Devoluciones a proveedores", "Usuario del ERP"),
}


def open_page(page: Page, path: str = "/") -> None:
    """Open a page of the console by its address, anew, and wait for its title."""
    page.goto("about:blank")  # from one page of the console to another only the hash would change
    page.goto(f"{CONSOLE}#{path}", wait_until="domcontentloaded")
    page.locator("main h1").wait_for(state="attached")


def sign_in(page: Page, door: str, user: str, password: str) -> None:
    """Fill in the sign-in of `gateway` or `returns` where the page shows it, by the keyboard alone."""
    panel, label = sign_in_panel(page, door)
    panel.get_by_label(label).focus()
    page.keyboard.insert_text(user)
    page.keyboard.press("Tab")
    page.keyboard.insert_text(password)
    page.keyboard.press("Enter")
    panel.get_by_label(label).wait_for(state="detached")


def sign_in_panel(page: Page, door: str) -> tuple[Locator, str]:
    """Return the form of a sign-in, for this service where one can choose, and how it calls the user."""
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
    """Return the box in which a list is searched."""
    return page.get_by_role("combobox", name=re.compile("^Buscar por "))


def search(page: Page, words: str) -> None:
    """Look for words, or for the first condition that they offer, by the keyboard alone."""
    search_box(page).focus()
    page.keyboard.insert_text(words)
    page.keyboard.press("Enter")


def paste(page: Page, where: Locator, text: str) -> None:
    """Paste as a person does, out of the clipboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    where.focus()
    page.keyboard.press("Control+V")


def resolve(page: Page) -> None:
    """Wait until nothing on the page is still being read."""
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
    """Open every folded part of the page, and what lies folded in it; return how many there were."""
    opened = 0
    while found := page.evaluate(_OPEN):
        opened += found
        page.wait_for_load_state("networkidle")
        resolve(page)
    return opened
