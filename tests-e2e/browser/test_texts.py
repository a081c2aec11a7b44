"""Everything that the console itself says comes from its catalogue, so that another language is a file."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from tools.browser.people import open_page, resolve, sign_in
from tools.browser.scenery import Scenery
from tools.packages import ROOT

OpenPerson = Callable[..., Page]
CATALOGUE = ROOT / "deploy/console/texts/es.json"
MARKED = re.compile("⟦[^⟦⟧]*⟧")
WORD = re.compile(r"[^\W\d_]{2,}")
OWN_NAMES = {"ERP", "CSV", "PDF"}
"""Of a system and of formats, the same in any language."""
OPENERS = ("Ejecutar", "Cambiar datos", "Añadir artículos", "Planificar de nuevo", "Cerrar planificación")
_ALL_TEXTS = """
() => {
  const named = ["aria-label", "placeholder", "title", "alt"];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (!parentElement.closest("noscript")) texts.push(textContent);
  }
  const elements = [...document.body.querySelectorAll("*")];
  const attributes = elements.flatMap((each) => named.map((name) => each.getAttribute(name) ?? ""));
  return [document.title, texts.join("\\n"), ...attributes];
}
"""


def speak_another_language(page: Page) -> None:
    """Let the console be in a language whose texts are the Spanish ones between marks."""
    marked = {text: f"⟦{text}⟧" for text in json.loads(CATALOGUE.read_text(encoding="utf-8"))}

    def answer_page(route: Route) -> None:
        answer = route.fetch()
        body = answer.text().replace('<html lang="es">', '<html lang="x-marked">')
        route.fulfill(response=answer, body=body)

    page.route("**/consola/", answer_page)
    page.route("**/texts/x-marked.json", lambda route: route.fulfill(json=marked))


def keep_answers(page: Page) -> list[str]:
    """Return a list that each answer of the services comes into, from now on."""
    answers: list[str] = []

    def keep(route: Route) -> None:
        answer = route.fetch()
        answers.append(answer.text())
        route.fulfill(response=answer)

    page.route("**/api/**", keep)
    return answers


def unmarked(page: Page, data: str) -> set[str]:
    """Return the words on the page that are neither out of the catalogue nor of the services' answers."""
    found = set()
    for text in page.evaluate(_ALL_TEXTS):
        rest = text
        while MARKED.search(rest):
            rest = MARKED.sub(" ", rest)
        found |= {word for word in WORD.findall(rest) if word not in data}
    return found - OWN_NAMES


@pytest.mark.timeout(300)
def test_all_that_the_pages_say_comes_from_the_catalogue(person: OpenPerson, scenery: Scenery) -> None:
    page = person()
    answers = keep_answers(page)
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    speak_another_language(page)
    said = {}
    for name, path in scenery.pages().items():
        open_page(page, path)
        resolve(page)
        expect(page.locator("body")).to_contain_text("⟦")
        words = unmarked(page, "\n".join(answers) + path)
        if words:
            said[name] = words
    assert said == {}


@pytest.mark.timeout(300)
def test_all_that_the_dialogs_of_a_planning_say_comes_from_the_catalogue(
    page: Page, scenery: Scenery
) -> None:
    answers = keep_answers(page)
    open_page(page, f"/devoluciones/{scenery.planned}")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    speak_another_language(page)
    open_page(page, f"/devoluciones/{scenery.planned}")
    resolve(page)
    for opener in OPENERS:
        page.get_by_role("button", name=f"⟦{opener}⟧", exact=True).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert unmarked(page, "\n".join(answers)) == set()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
