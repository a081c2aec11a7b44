"""Two people who change one record at once: what either changed is shown, and each value is chosen."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from stack.exchange import Answer
from tools.browser.accessibility import violations
from tools.browser.launching import PHONE
from tools.browser.people import open_page, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
CONFLICT = "Alguien lo cambió: vea ambos"


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def test_each_value_that_both_changed_is_chosen_by_itself(
    office: Page, program: Ask, order: int, scenery: Scenery
) -> None:
    other_item = scenery.items[2]
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill("lo mío")
    office.get_by_label(re.compile("^Cantidad de .*, línea 1$")).fill("7")
    theirs: dict[str, Any] = {"Comments": "lo de ellos", "NumAtCard": "OC-78"}
    theirs["DocumentLines"] = [{"LineNum": 0, "ItemCode": other_item}]
    assert program("PATCH", f"/api/sl/Orders/{order}", theirs).status == 204
    office.get_by_role("button", name="Guardar cambios").click()
    both = office.get_by_role("dialog", name=CONFLICT)
    expect(both.get_by_role("row").filter(has_text="Artículo, línea 1")).to_contain_text(other_item)
    both.get_by_role("button", name="Guardar lo elegido").click()
    expect(both.get_by_role("alert")).to_contain_text("Falta elegir en 2 datos")
    both.get_by_role("radio", name="Comentarios. Lo suyo: lo mío").check()
    both.get_by_role("radio", name=f"Artículo, línea 1. Ahora en el ERP: {other_item}").check()
    both.get_by_role("radio", name="Cantidad, línea 1. Lo suyo: 7").check()
    both.get_by_role("radio", name=re.compile("^Referencia.* Lo suyo: vacío$")).check()
    both.get_by_role("button", name="Guardar lo elegido").click()
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    now = program("GET", f"/api/sl/Orders/{order}").body
    assert (now["Comments"], now["NumAtCard"]) == ("lo mío", None)
    first = now["DocumentLines"][0]
    assert (first["ItemCode"], first["Quantity"]) == (other_item, 7)


def test_a_conflict_fits_a_phone_and_has_no_violation(person: OpenPerson, program: Ask, order: int) -> None:
    phone = person(PHONE)
    open_page(phone)
    sign_in(phone, "gateway", "ana", "ana-demo")
    open_page(phone, f"/erp/Orders/{order}")
    phone.get_by_role("button", name="Cambiar").click()
    phone.get_by_label("Comentarios").fill("lo mío")
    assert program("PATCH", f"/api/sl/Orders/{order}", {"Comments": "<b>ellos</b>"}).status == 204
    phone.get_by_role("button", name="Guardar cambios").click()
    both = phone.get_by_role("dialog", name=CONFLICT)
    expect(both.get_by_role("radio")).to_have_count(2)
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(phone) == []
    both.get_by_role("radio", name="Comentarios. Ahora en el ERP: <b>ellos</b>").check()
    both.get_by_role("button", name="Guardar lo elegido").click()
    expect(phone.get_by_text("<b>ellos</b>")).to_be_visible()
