"""Numbers as people in Chile write them: in records, conditions, quantities of returns and parameters."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.people import open_page, paste, search, search_box, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
PRICE = re.compile(r"^Precio unitario de .*, línea 1$")
REFUSED = {
    "1500.250": "Escriba 1500250 o 1500,25.",
    "10000.000": "Escriba 10000000 o 10000.",
    "0x10": "Escriba un número.",
    "1e3": "Escriba un número.",
    "1.50.000": "Escriba un número.",
    "12345678901234.123456": "Escriba un número con menos cifras.",
}


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def sent_by(page: Page, method: str, part: str) -> list[Request]:
    """Collect the requests with this method and this part of an address that the page sends from now on."""
    sent: list[Request] = []
    page.on("request", lambda each: sent.append(each) if each.method == method and part in each.url else None)
    return sent


def test_a_price_with_an_ambiguous_dot_is_refused_before_sending(office: Page, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    writes = sent_by(office, "PATCH", "/sl/Orders")
    office.get_by_role("button", name="Cambiar").click()
    for typed, result in REFUSED.items():
        office.get_by_label(PRICE).fill(typed)
        office.get_by_role("button", name="Guardar cambios").click()
        expect(office.get_by_text(result, exact=True)).to_be_visible()
        expect(office.get_by_label(PRICE)).to_have_attribute("aria-invalid", "true")
    assert writes == []


def test_a_price_is_read_as_it_is_written_and_shown_so_that_it_reads_back(office: Page, order: int) -> None:
    wanted = {"1.234,567": 1234.567, "1.200.300": 1200300, "1200.50": 1200.5, "0,25": 0.25, "2,125": 2.125}
    open_page(office, f"/erp/Orders/{order}")
    for typed, meant in wanted.items():
        office.get_by_role("button", name="Cambiar").click()
        office.get_by_label(PRICE).fill(typed)
        with office.expect_request(lambda each: each.method == "PATCH") as write:
            office.get_by_role("button", name="Guardar cambios").click()
        assert write.value.post_data_json == {"DocumentLines": [{"LineNum": 0, "UnitPrice": meant}]}
        expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    office.get_by_role("button", name="Cambiar").click()
    expect(office.get_by_label(PRICE)).to_have_value("2,125")
    office.get_by_label(PRICE).fill("2,1250")
    expect(office.get_by_role("button", name="Guardar cambios")).to_be_disabled()


def test_a_condition_takes_the_number_that_was_meant_or_none(office: Page) -> None:
    open_page(office, "/erp/Orders")
    lists = sent_by(office, "GET", "filter=")
    search(office, "total 10000.000")
    expect(office.get_by_text("Total: Escriba 10000000 o 10000.", exact=True)).to_be_visible()
    expect(search_box(office)).to_have_value("total 10000.000")
    search_box(office).fill("total 1.010.000,50")
    office.keyboard.press("Enter")
    expect(office.get_by_text("Total = 1.010.000,50")).to_be_visible()
    assert [re.findall(r"DocTotal%20eq%20([^&]*)", each.url) for each in lists] == [["1010000.50"]]


def offered(page: Page, address: str, found: dict[str, Any]) -> None:
    """Have the page offered this report or query alone."""
    page.route(f"**/api/{address}", lambda route: route.fulfill(json={"items": [found]}))


def answered_with(bodies: list[Any], answer: dict[str, Any]) -> Callable[[Route], None]:
    """Keep what is sent, and answer it."""

    def handle(route: Route) -> None:
        bodies.append(json.loads(route.request.post_data or "null"))
        route.fulfill(json=answer)

    return handle


def parameter(name: str, **more: object) -> dict[str, Any]:
    """Describe a parameter of a report as the service does."""
    return {"name": name, "label": name, "type": "xsd:decimal", "required": False, **more}


def test_numbers_of_parameters_are_read_by_their_type(office: Page) -> None:
    choice = {
        "kind": "select",
        "options": [{"value": "7", "label": "Siete"}, {"value": "8", "label": "Ocho"}],
    }
    query = {"name": "q", "title": "Q", "paged": False, "maxRows": 10}
    parameters = [
        {"name": "serie", "type": "number", "required": True, "input": choice},
        {"name": "monto", "type": "number", "required": True},
    ]
    offered(office, "erpdb/queries", {**query, "parameters": parameters})
    bodies: list[Any] = []
    rows = {"rows": [], "truncated": False, "nextOffset": None}
    office.route("**/api/erpdb/queries/q*", answered_with(bodies, rows))
    open_page(office, "/informes/consulta/q")
    office.get_by_label("serie").select_option("Siete")
    office.get_by_label("monto").fill("1500.250")
    office.get_by_role("button", name="Consultar").click()
    expect(office.locator(".fault")).to_have_text("Escriba 1500250 o 1500,25.")
    office.get_by_role("button", name="Descargar en CSV").click()
    expect(office.get_by_role("alert")).to_contain_text("No se envió nada.")
    assert bodies == []
    office.get_by_label("monto").fill("1.500,5")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_role("heading", name="0 filas")).to_be_visible()
    assert bodies == [{"params": {"serie": 7, "monto": 1500.5}}]


def test_an_open_end_stays_open_and_a_list_begins_with_a_value_a_line(office: Page) -> None:
    parameters = [
        parameter("Monto", isRange=True, input={"kind": "number"}),
        parameter("Tasa", input={"kind": "number", "default": 1.125}),
        parameter("Cupo", input={"kind": "text", "default": "1.250"}),
        parameter("Lista", type="xsd:string", isMultiple=True, input={"kind": "text", "default": ["a", "b"]}),
    ]
    offered(office, "gateway/reports", {"code": "R1", "title": "R", "parameters": parameters})
    bodies: list[Any] = []
    office.route("**/api/gateway/reports/R1/export", answered_with(bodies, {}))
    open_page(office, "/informes/erp/R1")
    expect(office.get_by_label("Tasa")).to_have_value("1,125")
    expect(office.get_by_label("Cupo")).to_have_value("1,250")
    expect(office.get_by_label("Lista")).to_have_value("a\nb")
    office.get_by_label("Lista").fill("a\nb\nc")
    office.get_by_label("Hasta").fill("1100.100")
    office.get_by_role("button", name="Hacer el PDF").click()
    expect(office.get_by_label("Hasta")).to_have_attribute("aria-invalid", "true")
    office.get_by_label("Hasta").fill("100")
    with office.expect_request("**/api/gateway/reports/R1/export"):
        office.get_by_role("button", name="Hacer el PDF").click()
    monto = {"from": "", "to": 100}
    assert bodies == [{"values": {"Monto": monto, "Tasa": 1.125, "Cupo": 1.25, "Lista": ["a", "b", "c"]}}]


def plan(page: Page, item: str, quantity: str) -> None:
    """Sign in as a warehouse user and save a plan of this item."""
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_label("Bodega").select_option("01")
    paste(page, page.get_by_label("Planilla"), f"{item}\t{quantity}\n")
    page.get_by_role("button", name="Guardar planificación").click()
    another = page.get_by_role("button", name="Guardar otra")
    title = page.get_by_role("heading", name=re.compile(r"Planificación \d+"))
    expect(another.or_(title)).to_be_visible()
    if another.is_visible():
        another.click()
    expect(title).to_be_visible()


def body_of(write: Request) -> dict[str, Any]:
    body: dict[str, Any] = write.post_data_json or {}
    return body


def test_a_quantity_that_goes_back_is_the_one_that_was_typed(page: Page, items: list[str]) -> None:
    plan(page, items[0], "3")
    page.get_by_role("button", name=f"Cambiar {items[0]}").click()
    writes = sent_by(page, "PATCH", "/lineas/")
    quantity = page.get_by_label("Cantidad")
    save = page.get_by_role("button", name="Guardar", exact=True)
    for typed, result in REFUSED.items():
        quantity.fill("")
        quantity.press_sequentially(typed)
        save.press("Enter")
        expect(page.locator(".field .fault")).to_have_text(result)
    assert writes == []
    quantity.fill("")
    quantity.press_sequentially("1,5")
    with page.expect_request(lambda each: each.method == "PATCH") as write:
        save.press("Enter")
    assert body_of(write.value)["cantidad"] == 1.5
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name=f"Cambiar {items[0]}").click()
    expect(page.get_by_label("Cantidad")).to_have_value("1,5")


def test_a_quantity_of_an_added_item_is_the_one_that_was_typed(page: Page, items: list[str]) -> None:
    plan(page, items[0], "3")
    page.get_by_role("button", name="Añadir artículos").click()
    writes = sent_by(page, "POST", "/lineas")
    adding = page.get_by_role("dialog", name="Añadir artículos")
    send = adding.get_by_role("button", name="Añadir y planificar")
    adding.get_by_role("textbox", name="Artículo").fill(items[1])
    adding.get_by_label("Cantidad").press_sequentially("1500.250")
    send.click()
    expect(adding.locator(".fault")).to_have_text("Escriba 1500250 o 1500,25.")
    assert writes == []
    adding.get_by_label("Cantidad").fill("")
    adding.get_by_label("Cantidad").press_sequentially("2,25")
    with page.expect_request(lambda each: each.method == "POST") as write:
        send.click()
    assert body_of(write.value)["lineas"] == [{"itemCode": items[1], "cantidad": 2.25}]


def test_a_quantity_of_a_batch_is_the_one_that_was_typed(page: Page, scenery: Scenery) -> None:
    plan(page, scenery.batches, "2")
    page.get_by_role("button", name=f"Elegir lotes {scenery.batches}").click()
    writes = sent_by(page, "PATCH", "/lineas/")
    amount = page.get_by_role("table", name="Lotes").get_by_label(re.compile("^Cantidad de ")).first
    amount.press_sequentially("1500.250")
    page.get_by_role("button", name="Guardar", exact=True).click()
    expect(page.get_by_role("table", name="Lotes").locator(".fault")).to_have_text(
        "Escriba 1500250 o 1500,25."
    )
    assert writes == []
    amount.fill("")
    amount.press_sequentially("1,5")
    expect(page.get_by_text("1,5 de 2 elegidos")).to_be_visible()
    with page.expect_request(lambda each: each.method == "PATCH") as write:
        page.get_by_role("button", name="Guardar", exact=True).click()
    (batch,) = body_of(write.value)["lotes"]
    assert batch["cantidad"] == 1.5
