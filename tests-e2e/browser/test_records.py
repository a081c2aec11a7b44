"""The ERP's records by the console alone: finding, reading, changing, creating; two who change at once."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlencode

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect
from stack.exchange import Answer
from tools.browser.launching import PHONE, WIDE
from tools.browser.people import open_page, search, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
OVERPRINTED = """
() => {
  const labels = [...document.querySelectorAll(".choices label")];
  const boxes = labels.map((label) => ({ text: label.textContent, at: label.getBoundingClientRect() }));
  const shared = (one, other, from, to) => Math.min(one[to], other[to]) - Math.max(one[from], other[from]);
  const meet = (one, other) =>
    shared(one.at, other.at, "left", "right") > 1 && shared(one.at, other.at, "top", "bottom") > 1;
  const pairs = boxes.flatMap((one, index) => boxes.slice(index + 1).map((other) => [one, other]));
  return pairs.filter(([one, other]) => meet(one, other)).map((pair) => pair.map(({ text }) => text));
}
"""
"""Pairs of labels that stand on each other."""


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator, signed in."""
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def writes_of(page: Page) -> list[Request]:
    """Collect the writes that the page sends from now on."""
    sent: list[Request] = []
    page.on("request", lambda each: sent.append(each) if each.method in ("POST", "PATCH") else None)
    return sent


def cell(page: Page, title: str) -> Locator:
    """Return the value beside a name on a record's page."""
    return page.locator("dl.pairs > div").filter(has=page.get_by_text(title, exact=True)).locator("dd")


def test_records_are_found_sorted_and_turned_over_without_typing_odata(office: Page) -> None:
    office.get_by_role("navigation").get_by_role("link", name="Pedidos de venta").click()
    rows = office.get_by_role("row")
    expect(rows).to_have_count(52)
    office.get_by_role("button", name="Siguiente").click()
    expect(office.get_by_text(re.compile("página 2 de"))).to_be_visible()
    search(office, "nombre del socio Pérez")
    expect(office.get_by_text("Nombre del socio contiene Pérez")).to_be_visible()
    names = office.get_by_role("cell").filter(has_text="Pérez")
    expect(names.first).to_be_visible()
    search(office, "abierto")
    chips = office.get_by_role("list", name="Condiciones que se cumplen").get_by_role("listitem")
    expect(chips).to_have_text(["Nombre del socio contiene Pérez", "y Estado es Abierto"])
    expect(office.get_by_role("cell").filter(has_text="Cerrado")).to_have_count(0)
    office.get_by_role("button", name="Número").click()
    expect(office.get_by_role("columnheader", name="Número")).to_have_attribute("aria-sort", "ascending")
    office.get_by_role("button", name="Número").click()
    expect(office.get_by_role("columnheader", name="Número")).to_have_attribute("aria-sort", "descending")


def test_a_list_is_kept_as_a_file_with_the_shown_columns_and_all_that_match(office: Page) -> None:
    open_page(office, "/erp/Orders")
    status = office.get_by_role("navigation", name="Páginas").get_by_role("status")
    everything = status.inner_text()
    search(office, "nombre del socio Pérez")
    expect(office.get_by_text("Nombre del socio contiene Pérez")).to_be_visible()
    expect(status).not_to_have_text(everything)  # what is shown stays until what was asked for comes
    total = int(re.sub(r"\D", "", status.inner_text().partition("registros")[0]))
    with office.expect_download() as kept:
        office.get_by_role("button", name="Descargar en CSV").click()
    lines = kept.value.path().read_bytes().decode("utf-8-sig").splitlines()
    shown = [each.inner_text() for each in office.get_by_role("columnheader").all()[1:]]
    in_file = {"Total": "Total (CLP)"}  # a file says which currency an amount is in
    assert lines[0].split(";") == [in_file.get(each, each) for each in shown]
    assert len(lines) == 1 + total
    assert all("Pérez" in line for line in lines[1:])


def test_columns_can_be_chosen_from_all_fields(office: Page) -> None:
    open_page(office, "/erp/Orders")
    office.get_by_role("button", name="Columnas").click()
    office.get_by_role("checkbox", name="Moneda").uncheck()
    expect(office.get_by_role("columnheader", name="Moneda")).to_have_count(0)
    office.get_by_label("Buscar una columna").fill("Vendedor")
    office.get_by_label("Vendedor", exact=True).check()
    expect(office.get_by_role("columnheader", name="Vendedor")).to_be_visible()


def test_columns_are_reordered_and_only_the_layout_is_stored(office: Page) -> None:
    open_page(office, "/erp/Orders")
    office.get_by_role("button", name="Columnas").click()
    office.get_by_label("Buscar una columna").fill("Vendedor")
    office.get_by_label("Vendedor", exact=True).check()
    office.get_by_role("button", name="Vendedor una columna antes").click()
    office.get_by_role("columnheader", name="Fecha", exact=True).get_by_role("button").click()
    titles = "heads => heads.map(head => head.textContent.replace(/[↑↓]/, ''))"
    heads = office.get_by_role("columnheader")
    before = heads.evaluate_all(titles)
    assert before[-2] == "Vendedor"
    requests: list[str] = []
    office.on("request", lambda each: requests.append(each.url) if "/api/sl/Orders" in each.url else None)
    open_page(office, "/erp/Orders")
    expect(office.get_by_role("columnheader", name="Fecha", exact=True)).to_have_attribute(
        "aria-sort", "ascending"
    )
    assert heads.evaluate_all(titles) == before
    assert len(requests) == 1  # what is remembered of a column needs no record to be read
    kept = office.evaluate("localStorage.getItem('consola.lista.Orders')")
    assert set(json.loads(kept)) == {"columns", "sort"}
    office.get_by_role("button", name="Columnas").click()
    office.get_by_role("button", name="Como al principio").click()
    expect(office.get_by_role("columnheader", name="Vendedor")).to_have_count(0)


def test_chosen_rows_are_copied_and_kept_as_a_file(office: Page) -> None:
    open_page(office, "/erp/Orders")
    for at in (0, 2):
        office.get_by_role("checkbox", name=re.compile(r"^Elegir \d")).nth(at).check()
    rows = office.get_by_role("row").filter(has=office.locator("input:checked"))
    numbers = rows.locator("th a").all_inner_texts()
    office.get_by_role("button", name="Copiar", exact=True).click()
    expect(office.get_by_text("2 filas copiadas")).to_be_visible()
    copied = office.evaluate("navigator.clipboard.readText()").splitlines()
    assert [line.split("\t")[0] for line in copied] == ["Número", *numbers]
    with office.expect_download() as kept:
        office.get_by_role("button", name="Descargar en CSV: elegidos").click()
    lines = kept.value.path().read_bytes().decode("utf-8-sig").splitlines()
    assert sorted(line.split(";")[0] for line in lines[1:]) == sorted(numbers)
    office.get_by_role("button", name="Siguiente").click()
    expect(office.get_by_role("button", name="Copiar", exact=True)).to_have_count(0)


def test_a_failed_copy_of_rows_is_reported(office: Page) -> None:
    open_page(office, "/erp/Orders")
    office.get_by_role("checkbox", name=re.compile(r"^Elegir \d")).first.press("Space")
    office.context.clear_permissions()
    office.get_by_role("button", name="Copiar", exact=True).press("Enter")
    expect(office.get_by_text("El navegador no permitió copiar las filas.")).to_be_visible()
    expect(office.get_by_text("1 fila elegida")).to_be_visible()


def test_the_head_of_a_long_table_stays_in_sight(office: Page) -> None:
    open_page(office, "/erp/Orders")
    head = office.get_by_role("columnheader", name="Fecha", exact=True)
    office.get_by_role("row").nth(45).scroll_into_view_if_needed()
    expect(head).to_be_in_viewport()
    head.get_by_role("button").click()  # nothing lies on it
    expect(head).to_have_attribute("aria-sort", "ascending")


def test_a_list_is_sorted_on_a_phone_too(person: OpenPerson) -> None:
    page = person(PHONE)
    open_page(page, "/erp/Orders")
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_label("Ordenar por").select_option("Fecha ↑")
    expect(page).to_have_url(re.compile("orden=DocDate"))
    expect(page.get_by_label("Ordenar por")).to_have_value("DocDate asc")


def test_a_record_shows_its_lines_and_leads_on(office: Page, scenery: Scenery) -> None:
    open_page(office, f"/erp/Orders/{scenery.order}")
    expect(office.get_by_role("table", name="Líneas")).to_be_visible()
    office.get_by_role("table", name="Líneas").get_by_role("link").first.click()
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile("^Artículo "))


def test_every_line_of_a_long_order_is_shown(office: Page, program: Ask, scenery: Scenery) -> None:
    lines = [{"ItemCode": scenery.items[0], "Quantity": 1, "UnitPrice": 10}] * 230
    body = {"CardCode": "C00001", "DocDueDate": "2030-12-31", "DocumentLines": lines}
    number = program("POST", "/api/sl/Orders", body).body["DocEntry"]
    open_page(office, f"/erp/Orders/{number}")
    expect(office.get_by_role("table", name="Líneas").get_by_role("row")).to_have_count(232)


@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["wide", "phone"])
def test_labels_of_many_choices_do_not_overlap(person: OpenPerson, formats: None, width: int) -> None:
    page = person(width)
    open_page(page, "/erp/Orders")
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_role("button", name="Elegir todas").click()
    page.get_by_role("button", name="Imprimir", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(50)
    assert page.evaluate(OVERPRINTED) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Columnas").click()
    expect(
        page.get_by_role("group", name="Columnas que se muestran").get_by_role("checkbox").nth(50)
    ).to_be_attached()
    assert page.evaluate(OVERPRINTED) == []


def test_an_order_is_read_changed_and_the_change_found_in_its_history(office: Page, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    sent = writes_of(office)
    office.get_by_role("button", name="Cambiar").press("Enter")
    office.get_by_label("Comentarios").fill("Entregar el lunes")
    office.get_by_label(re.compile(r"^Cantidad de .*línea 1$")).fill("5")
    office.get_by_role("button", name="Guardar cambios").press("Enter")
    expect(cell(office, "Comentarios")).to_have_text("Entregar el lunes")
    (write,) = sent
    assert (write.header_value("if-match") or "").startswith("W/")
    assert len(write.header_value("idempotency-key") or "") == 32
    assert write.post_data_json == {
        "Comments": "Entregar el lunes",
        "DocumentLines": [{"LineNum": 0, "Quantity": 5}],
    }
    title = office.get_by_role("heading", level=1).inner_text()
    assert re.fullmatch(r"Pedido de venta \d+", title)
    office.get_by_role("link", name="Historia").click()
    changed = office.get_by_role("row").filter(has_text="Cambió")
    expect(changed).to_contain_text("Comments, DocumentLines[].LineNum, DocumentLines[].Quantity")
    expect(changed).to_contain_text("Comentarios, Líneas: Cantidad")
    expect(office.get_by_role("heading", level=1)).to_have_text(f"Historia: {title}")
    expect(changed).to_contain_text("ana")


def items_of(program: Ask, order: int) -> list[tuple[str, float]]:
    """Return what an order holds: items and quantities, in the ERP's order."""
    lines = program("GET", f"/api/sl/Orders/{order}?$select=DocumentLines").body["DocumentLines"]
    return [(each["ItemCode"], each["Quantity"]) for each in lines]


def test_a_line_is_added_to_an_order_and_the_others_stay(
    office: Page, program: Ask, scenery: Scenery, order: int
) -> None:
    open_page(office, f"/erp/Orders/{order}")
    sent = writes_of(office)
    office.get_by_role("button", name="Cambiar").press("Enter")
    office.get_by_role("button", name="Otra línea").press("Enter")
    added = office.get_by_role("group", name="Línea nueva 1")
    added.get_by_label("Artículo").fill(scenery.items[2])
    added.get_by_label("Cantidad").fill("7")
    added.get_by_label("Precio unitario").fill("990")
    office.keyboard.press("Control+Enter")
    expect(office.get_by_role("table", name="Líneas").get_by_role("row")).to_have_count(4)
    assert items_of(program, order) == [*((each, 2) for each in scenery.items[:2]), (scenery.items[2], 7)]
    assert sent[0].header_value("b1s-replacecollectionsonpatch") is None


def test_the_addresses_of_a_partner_are_sent_by_their_whole_keys(office: Page, program: Ask) -> None:
    open_page(office, "/erp/BusinessPartners/C00003")
    sent = writes_of(office)
    office.get_by_role("button", name="Cambiar").press("Enter")
    office.get_by_label("Ciudad de Despacho (Despacho)").fill("Arica")
    office.get_by_role("button", name="Otra dirección").press("Enter")
    added = office.get_by_role("group", name="Dirección nueva 1")
    added.get_by_label("Nombre").fill("Obra")
    added.get_by_label("Tipo").select_option("bo_ShipTo")
    added.get_by_label("Tipo").press("Control+Enter")
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    office.get_by_role("button", name="Cambiar").press("Enter")
    office.get_by_role("button", name="Quitar Facturación (Facturación)").press("Enter")
    office.get_by_role("button", name="Guardar cambios").press("Enter")
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    key = {"BPCode": "C00003"}
    bill = key | {"AddressName": "Facturación", "AddressType": "bo_BillTo", "RowNum": 0}
    ship = key | {"AddressName": "Despacho", "AddressType": "bo_ShipTo", "RowNum": 1}
    site = {"AddressName": "Obra", "AddressType": "bo_ShipTo"}
    assert [each.post_data_json for each in sent] == [
        {"BPAddresses": [bill, ship | {"City": "Arica"}, site]},
        {"BPAddresses": [ship, key | site | {"RowNum": 2}]},
    ]
    rows = program("GET", "/api/sl/BusinessPartners/C00003").body["BPAddresses"]
    assert [(row["AddressName"], row["City"]) for row in rows] == [("Despacho", "Arica"), ("Obra", None)]


def test_removing_a_line_keeps_a_line_added_by_another_user(
    office: Page, program: Ask, scenery: Scenery, order: int
) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").press("Enter")
    office.get_by_role("button", name=re.compile("^Quitar .*, línea 1$")).press("Enter")
    expect(office.get_by_role("button", name=re.compile("^Quitar .*, línea 2$"))).to_be_disabled()
    theirs = {"ItemCode": scenery.items[3], "Quantity": 4, "UnitPrice": 10}
    rows = [{"LineNum": 0}, {"LineNum": 1}, theirs]
    assert program("PATCH", f"/api/sl/Orders/{order}", {"DocumentLines": rows}).status == 204
    office.get_by_role("button", name="Guardar cambios").click()
    both = office.get_by_role("dialog", name="Alguien lo cambió: vea ambos")
    expect(both.get_by_role("row").filter(has_text="Línea 1")).to_contain_text("Se quita")
    both.get_by_role("button", name="Guardar lo elegido").click()
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    assert items_of(program, order) == [(scenery.items[1], 2), (scenery.items[3], 4)]


def change_elsewhere(program: Ask, order: int) -> None:
    """Change the order as somebody else."""
    assert program("PATCH", f"/api/sl/Orders/{order}", {"NumAtCard": "OC-77"}).status == 204


@pytest.mark.parametrize("mine", [True, False], ids=["keep mine", "take theirs"])
def test_two_concurrent_changes_are_both_shown(office: Page, program: Ask, order: int, mine: bool) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill("lo mío")
    change_elsewhere(program, order)
    office.get_by_role("button", name="Guardar cambios").click()
    both = office.get_by_role("dialog", name="Alguien lo cambió: vea ambos")
    last = re.compile(r"El último desde aquí: carmen, \d\d-\d\d-\d{4}")  # and not one's own refused attempt
    expect(both).to_contain_text(last)
    expect(both.get_by_role("row").filter(has_text="Referencia")).to_contain_text("OC-77")
    expect(both.get_by_role("row").filter(has_text="Comentarios")).to_contain_text("lo mío")
    both.get_by_role("button", name="Guardar lo elegido" if mine else "Dejar lo del ERP").click()
    expect(both).to_have_count(0)
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    now = program("GET", f"/api/sl/Orders/{order}?$select=Comments,NumAtCard").body
    assert (now["Comments"], now["NumAtCard"]) == ("lo mío" if mine else None, "OC-77")


def test_an_order_is_created_by_the_keyboard_and_shown(office: Page, scenery: Scenery) -> None:
    open_page(office, "/crear/Orders")
    sent = writes_of(office)
    office.get_by_label("Código del socio").focus()
    office.keyboard.insert_text("C00001")
    office.get_by_label("Vencimiento").fill("2030-12-31")
    office.get_by_label("Artículo").focus()
    office.keyboard.insert_text(scenery.items[0])
    office.keyboard.press("Tab")
    office.keyboard.insert_text("3")
    office.keyboard.press("Tab")
    office.keyboard.insert_text("1500,5")
    office.keyboard.press("Control+Enter")
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))
    body = sent[0].post_data_json or {}
    assert body["DocumentLines"] == [{"ItemCode": scenery.items[0], "Quantity": 3, "UnitPrice": 1500.5}]
    assert sent[0].header_value("idempotency-key")


def test_the_first_document_of_its_kind_has_lines_too(office: Page, scenery: Scenery) -> None:
    def none_yet(route: Route) -> None:
        if route.request.method == "GET" and "top=1" in unquote(route.request.url):
            route.fulfill(json={"value": []})
        else:
            route.fallback()

    office.route("**/sl/Orders?*", none_yet)
    open_page(office, "/crear/Orders")
    sent = writes_of(office)
    office.get_by_label("Código del socio").fill("C00001")
    office.get_by_label("Vencimiento").fill("2030-12-31")
    office.get_by_label("Artículo").fill(scenery.items[0])
    office.get_by_label("Cantidad").fill("3")
    office.get_by_label("Cantidad").press("Control+Enter")
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))
    body = sent[0].post_data_json or {}
    assert body["DocumentLines"] == [{"ItemCode": scenery.items[0], "Quantity": 3}]


def test_a_creation_whose_answer_breaks_off_is_sent_again_under_the_same_key(
    office: Page, scenery: Scenery, cut_off: Callable[[Page, str], None]
) -> None:
    open_page(office, "/crear/Orders")
    sent = writes_of(office)
    cut_off(office, "/sl/Orders")
    office.get_by_label("Código del socio").fill("C00001")
    office.get_by_label("Vencimiento").fill("2030-12-31")
    office.get_by_label("Artículo").fill(scenery.items[0])
    office.get_by_label("Cantidad").fill("3")
    office.get_by_label("Cantidad").press("Control+Enter")
    expect(office.get_by_role("alert")).to_contain_text("Compruebe si el cambio quedó hecho")
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))
    keys = {each.header_value("idempotency-key") for each in sent}
    assert (len(sent), len(keys)) == (2, 1)


def test_a_slow_creation_leaves_people_where_they_went(office: Page, scenery: Scenery) -> None:
    held: list[Route] = []
    office.route(
        "**/api/sl/Orders",
        lambda route: held.append(route) if route.request.method == "POST" else route.continue_(),
    )
    open_page(office, "/crear/Orders")
    office.get_by_label("Código del socio").fill("C00001")
    office.get_by_label("Vencimiento").fill("2030-12-31")
    office.get_by_label("Artículo").fill(scenery.items[0])
    office.get_by_label("Cantidad").fill("3")
    with office.expect_request("**/api/sl/Orders"):
        office.get_by_role("button", name="Crear").click()
    office.evaluate('location.hash = "#/crear/Items"')
    office.get_by_label("Artículo", exact=True).fill("A-MEDIO-ESCRIBIR")
    (one,) = held
    one.continue_()
    expect(office.get_by_text(re.compile(r"^Pedido de venta \d+: creado\.$"))).to_be_visible()
    expect(office.get_by_label("Artículo", exact=True)).to_have_value("A-MEDIO-ESCRIBIR")


@pytest.mark.parametrize("line_break", ["\r", "\r\n", "\n"])
def test_a_text_of_several_lines_keeps_them_when_it_is_changed(
    office: Page, program: Ask, order: int, line_break: str
) -> None:
    path = f"/api/sl/Orders/{order}"
    before = line_break.join(("Entregar el lunes", "Llamar antes"))
    assert program("PATCH", path, {"Comments": before}).status == 204
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    comment = office.get_by_label("Comentarios")
    comment.press("Control+End")
    comment.press_sequentially(" a Ana")
    with office.expect_request(lambda each: each.method == "PATCH") as write:
        office.get_by_role("button", name="Guardar cambios").click()
    assert write.value.post_data_json == {"Comments": f"{before} a Ana"}


def test_a_refusal_of_the_erp_is_shown_and_the_input_kept(office: Page) -> None:
    open_page(office, "/crear/Orders")
    office.get_by_label("Código del socio").fill("NADIE")
    office.get_by_role("button", name="Crear").click()
    expect(office.get_by_role("alert")).to_contain_text("El ERP dijo")
    expect(office.get_by_label("Código del socio")).to_have_value("NADIE")


def test_a_session_that_ends_during_a_form_keeps_the_input(office: Page, program: Ask, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill("escrito antes")
    assert program("DELETE", "/api/sessions/ana").status == 204
    office.get_by_role("button", name="Guardar cambios").click()
    again = office.get_by_role("dialog", name="Vuelva a entrar")
    expect(again.get_by_label("Usuario web")).to_have_value("ana")
    again.get_by_label("Contraseña").fill("no es esta")
    again.get_by_role("button", name="Entrar y seguir").click()
    expect(again.get_by_role("alert")).to_be_visible()
    again.get_by_label("Contraseña").fill("ana-demo")
    office.keyboard.press("Enter")
    expect(cell(office, "Comentarios")).to_have_text("escrito antes")


def lost_change(office: Page, control: Ask, order: int) -> None:
    """Change an order's comment so that nobody learns what became of it."""
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill("¿llegó?")
    fault = {"method": "PATCH", "path": "Orders(*)", "action": {"kind": "drop", "when": "after-work"}}
    control("POST", "/faults", fault)
    office.get_by_role("button", name="Guardar cambios").click()
    expect(office.get_by_role("alert")).to_contain_text("outcome_unknown")


def test_a_write_with_unknown_outcome_is_shown_and_can_be_settled(
    office: Page, control: Ask, program: Ask, order: int
) -> None:
    number = program("GET", f"/api/sl/Orders/{order}?$select=DocNum").body["DocNum"]
    lost_change(office, control, order)
    office.get_by_role("link", name="Ver qué se sabe de sus operaciones").click()
    rows = office.get_by_role("row").filter(has_text=f"Pedido de venta (interno {order})")
    expect(rows).to_have_count(1)  # found by its number
    control("DELETE", "/calls")
    rows.get_by_role("button", name="Aclarar").click()
    dialog = office.get_by_role("dialog")
    expect(dialog).to_contain_text(f"ana quiso cambiar Pedido de venta {number}")
    sent = dialog.get_by_role("row").filter(has=office.get_by_role("rowheader", name="Comentarios"))
    expect(sent).to_contain_text("¿llegó?")
    calls = [f"{each['method']} {each['path']}" for each in control("GET", "/calls").body["calls"]]
    assert calls == [f"GET Orders({order})"]
    dialog.get_by_label("Qué se vio").select_option("Está hecha")
    expect(dialog.get_by_label("Clave del registro creado")).to_have_count(0)
    dialog.get_by_role("button", name="Anotar").click()
    expect(rows).to_contain_text("Hecha")


def test_an_action_with_unknown_outcome_is_shown_with_the_records_state(
    office: Page, control: Ask, program: Ask
) -> None:
    path = "/api/sl/IncomingPayments?$select=DocEntry&$filter=Cancelled%20eq%20%27tNO%27&$top=1"
    payment = program("GET", path).body["value"][0]["DocEntry"]
    drop = {"kind": "drop", "when": "after-work"}
    control("POST", "/faults", {"method": "POST", "path": "IncomingPayments(*)/Cancel", "action": drop})
    lost = program("POST", f"/api/sl/IncomingPayments/{payment}/Cancel")
    write = lost.body["write"]["id"]
    open_page(office, f"/escrituras?numero={write}")
    office.get_by_role("button", name="Aclarar").click()
    dialog = office.get_by_role("dialog")
    expect(dialog).to_contain_text("carmen quiso anular Cobro")
    state = dialog.get_by_role("table", name="Estado")
    expect(state.get_by_role("row", name="Anulado")).to_contain_text("Sí")
    expect(dialog).not_to_contain_text("Cancel()")
    expect(dialog).not_to_contain_text("nada")
    assert program("POST", f"/api/writes/{write}/settle", {"result": "done"}).status == 200


def test_sent_values_are_shown_even_if_the_record_can_not_be_read(
    office: Page, control: Ask, program: Ask, order: int
) -> None:
    lost_change(office, control, order)
    office.get_by_role("link", name="Ver qué se sabe de sus operaciones").click()
    refusal = {"kind": "refuse", "status": 404, "code": -2028, "text": "No matching records found"}
    control("POST", "/faults", {"method": "GET", "path": "Orders(*)", "action": refusal})
    row = office.get_by_role("row").filter(has_text=f"interno {order}")
    row.get_by_role("button", name="Aclarar").click()
    dialog = office.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(dialog).to_contain_text("ana quiso cambiar Pedido de venta")
    expect(dialog.get_by_role("table", name="Campos enviados")).to_contain_text("Comentarios")
    dialog.get_by_label("Qué se vio").select_option("Está hecha")
    dialog.get_by_role("button", name="Anotar").click()
    expect(dialog).to_have_count(0)


def test_an_unknown_write_is_listed_on_the_home_page_by_its_number(
    office: Page, control: Ask, program: Ask, order: int
) -> None:
    lost_change(office, control, order)
    newest = program("GET", "/api/writes?resultado=unknown&pageSize=1").body["items"][0]["id"]
    office.get_by_role("button", name="Cancelar").click()
    open_page(office)
    section = office.locator("section").filter(
        has=office.get_by_role("heading", name="Operaciones por aclarar")
    )
    section.get_by_role("link", name="Cambiar").first.click()
    expect(office.get_by_label("Número de la operación")).to_have_value(newest)
    office.get_by_label("Número de la operación").fill("no es un número")
    office.keyboard.press("Enter")
    expect(office.get_by_role("alert")).to_contain_text("write_not_found")
    office.get_by_label("Número de la operación").fill(f" {newest} ")
    office.keyboard.press("Enter")
    expect(office.get_by_role("row").filter(has_text=newest)).to_contain_text("Sin saberse")
    assert program("POST", f"/api/writes/{newest}/settle", {"result": "not_done"}).status == 200


def test_the_key_is_only_requested_for_a_settled_creation(office: Page, control: Ask, program: Ask) -> None:
    fault = {"method": "POST", "path": "Items", "action": {"kind": "drop", "when": "after-work"}}
    control("POST", "/faults", fault)
    lost = program("POST", "/api/sl/Items", {"ItemCode": "PERDIDO-1", "ItemName": "¿Se creó?"})
    write = lost.body["write"]["id"]
    open_page(office, f"/escrituras?numero={write}")
    office.get_by_role("button", name="Aclarar").click()
    dialog = office.get_by_role("dialog")
    expect(dialog).to_contain_text("carmen quiso crear Artículo")
    expect(dialog.get_by_role("table", name="Campos enviados")).to_contain_text("Descripción")
    dialog.get_by_label("Qué se vio").select_option("Está hecha")
    dialog.get_by_label("Clave del registro creado").fill("PERDIDO-1")
    dialog.get_by_role("button", name="Anotar").click()
    expect(office.get_by_role("row").filter(has_text=write)).to_contain_text("PERDIDO-1")


def test_a_write_settled_by_another_user_shows_its_outcome(office: Page, control: Ask, program: Ask) -> None:
    fault = {"method": "POST", "path": "Items", "action": {"kind": "drop", "when": "after-work"}}
    control("POST", "/faults", fault)
    lost = program("POST", "/api/sl/Items", {"ItemCode": "PERDIDO-2", "ItemName": "¿Se creó?"})
    write = lost.body["write"]["id"]
    open_page(office, f"/escrituras?numero={write}")
    office.get_by_role("button", name="Aclarar").click()
    dialog = office.get_by_role("dialog")
    dialog.get_by_label("Qué se vio").select_option("No se hizo")
    assert program("POST", f"/api/writes/{write}/settle", {"result": "done"}).status == 200
    dialog.get_by_role("button", name="Anotar").click()
    expect(office.get_by_role("row").filter(has_text=write)).to_contain_text("Hecha")
    expect(dialog).to_have_count(0)


def test_a_refusal_comes_into_sight_on_a_phone(person: OpenPerson, order: int) -> None:
    page = person(PHONE)
    open_page(page, f"/erp/Orders/{order}")
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_role("button", name="Cambiar").click()
    page.get_by_label("Comentarios").fill("x" * 300)
    page.get_by_role("button", name="Guardar cambios").click()
    alert = page.get_by_role("alert")
    expect(alert).to_be_in_viewport(ratio=1)
    bar = page.locator(".edit-bar").bounding_box()
    shown = alert.bounding_box()
    assert bar is not None
    assert shown is not None
    assert shown["y"] + shown["height"] <= bar["y"]


def test_ids_and_codes_of_a_problem_are_in_its_details(office: Page) -> None:
    open_page(office, "/erp/Orders/987654")
    problem = office.get_by_role("alert")
    code = problem.get_by_text(re.compile("erp_not_found|record_not_found|not_found"))
    expect(code).to_be_hidden()
    problem.get_by_text("Detalles").click()
    expect(code).to_be_visible()


def test_keys_with_signs_and_of_several_parts_lead_to_their_records(office: Page, program: Ask) -> None:
    price = {"CardCode": "C00001", "ItemCode": "#8-TORNILLO", "Price": 99}
    program("POST", "/api/sl/SpecialPrices", price)
    open_page(office, "/erp/SpecialPrices")
    office.get_by_role("rowheader").first.get_by_role("link").click()
    expect(cell(office, "Artículo")).to_have_text("#8-TORNILLO")
    cell(office, "Artículo").get_by_role("link").click()
    expect(office.get_by_role("heading", level=1)).to_have_text("Artículo #8-TORNILLO")
    expect(office.get_by_role("alert")).to_have_count(0)


def narrowed(condition: dict[str, str]) -> str:
    """Return the address of the orders under a condition."""
    return f"/erp/Orders?{urlencode({'filtro': json.dumps([condition])})}"


def lists_of(page: Page) -> list[str]:
    """Collect the addresses of the pages and files of orders that the page asks for from now on."""
    sent: list[str] = []

    def note(request: Request) -> None:
        address = unquote(request.url)
        if "/sl/Orders?" in address and "$top=1&" not in f"{address}&":
            sent.append(address)

    page.on("request", note)
    return sent


def test_a_condition_on_an_added_column_survives_a_reload(office: Page) -> None:
    sent = lists_of(office)
    open_page(office, narrowed({"name": "NumAtCard", "operator": "contains", "value": "NO-HAY-TAL"}))
    expect(office.get_by_text("Ningún registro cumple las condiciones.")).to_be_visible()
    expect(office.get_by_text("Referencia contiene NO-HAY-TAL")).to_be_visible()
    office.get_by_role("button", name="Columnas").click()
    office.get_by_role("button", name="Columnas").click()
    with office.expect_download():
        office.get_by_role("button", name="Descargar en CSV").click()
    assert [each for each in sent if "contains(NumAtCard,'NO-HAY-TAL')" not in each] == []


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ({"name": "DocTotal", "operator": "ge", "value": "1500.250"}, "Total ≥ 1500.250"),
        ({"name": "NoExiste", "operator": "contains", "value": "X"}, "NoExiste contiene X"),
    ],
    ids=["a number that may be two", "a column that is not there"],
)
def test_an_invalid_condition_lists_no_records(office: Page, condition: dict[str, str], told: str) -> None:
    sent = lists_of(office)
    open_page(office, narrowed(condition))
    expect(office.get_by_text("No se muestra nada")).to_contain_text(f"«{told}»")
    expect(office.get_by_role("button", name="Descargar en CSV")).to_have_count(0)
    assert sent == []
    office.get_by_role("button", name="Quitar filtro").click()
    expect(office.get_by_role("row")).to_have_count(52)


def test_a_file_has_the_order_of_the_list(office: Page) -> None:
    open_page(office, "/erp/Orders")
    sent = lists_of(office)
    with office.expect_download():
        office.get_by_role("button", name="Descargar en CSV").click()
    office.get_by_role("button", name="Número").click()
    expect(office.get_by_role("columnheader", name="Número")).to_have_attribute("aria-sort", "ascending")
    with office.expect_download():
        office.get_by_role("button", name="Descargar en CSV").click()
    whole, _, sorted_whole = sent
    assert "$orderby=DocEntry desc" in whole
    assert "$orderby=DocNum asc" in sorted_whole


def test_a_conflict_without_a_readable_record_keeps_the_input(office: Page, program: Ask, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_label("Comentarios").fill("lo mío")
    change_elsewhere(program, order)
    away = {"code": "erp_unavailable", "detail": "El ERP no responde."}

    def refuse(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(status=503, json=away)
        else:
            route.continue_()

    office.route(f"**/api/sl/Orders/{order}", refuse)
    office.get_by_role("button", name="Guardar cambios").click()
    expect(office.get_by_role("alert")).to_contain_text("El ERP no responde.")
    expect(office.get_by_label("Comentarios")).to_have_value("lo mío")
    office.unroute(f"**/api/sl/Orders/{order}")
    office.get_by_role("button", name="Guardar cambios").click()
    both = office.get_by_role("dialog", name="Alguien lo cambió: vea ambos")
    both.get_by_role("button", name="Guardar lo elegido").click()
    expect(cell(office, "Comentarios")).to_have_text("lo mío")


def without_tag(route: Route) -> None:
    """Let a record come without the version that it is, and writes through."""
    if route.request.method != "GET":
        route.continue_()
        return
    answer = route.fetch()
    headers = {name: value for name, value in answer.headers.items() if name.lower() != "etag"}
    route.fulfill(response=answer, headers=headers)


def test_lines_are_not_removed_without_an_entity_tag(office: Page, order: int) -> None:
    office.route(f"**/api/sl/Orders/{order}", without_tag)
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    expect(office.get_by_role("table", name="Líneas que se pueden cambiar")).to_be_visible()
    expect(office.get_by_role("button", name=re.compile("^Quitar "))).to_have_count(0)
    expect(office.get_by_role("button", name="Otra línea")).to_have_count(0)


def test_a_line_is_not_removed_from_a_newer_version(office: Page, program: Ask, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Cambiar").click()
    office.get_by_role("button", name=re.compile("^Quitar .*, línea 1$")).click()
    change_elsewhere(program, order)
    office.route(f"**/api/sl/Orders/{order}", without_tag)
    office.get_by_role("button", name="Guardar cambios").click()
    both = office.get_by_role("dialog", name="Alguien lo cambió: vea ambos")
    both.get_by_role("button", name="Guardar lo elegido").click()
    expect(both.get_by_role("alert")).to_contain_text("qué versión")
    assert len(items_of(program, order)) == 2


def test_a_new_permission_takes_effect_without_a_new_sign_in(office: Page, order: int) -> None:
    offers: list[int] = []

    def offer(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        if not offers:
            found["items"] = [each for each in found["items"] if each["name"] != "Orders"]
        offers.append(len(found["items"]))
        route.fulfill(response=answer, json=found)

    office.route("**/api/sl", offer)
    open_page(office, "/erp")
    expect(office.get_by_role("link", name="Artículos").first).to_be_visible()
    office.evaluate(f"location.hash = '#/erp/Orders/{order}'")
    expect(office.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Pedido de venta \d+"))
    assert len(offers) == 2


def test_files_of_a_record_are_added_shown_and_opened(office: Page, order: int, tmp_path: Path) -> None:
    large = tmp_path / f"Plano nº {order}.pdf"  # the ERP's folder takes a name once
    large.write_bytes(b"%PDF-1.7 " + bytes(3 * 1024 * 1024))
    open_page(office, f"/erp/Orders/{order}")
    requests: list[str] = []
    office.on("request", lambda each: requests.append(each.url) if "/api/attachments/" in each.url else None)
    office.get_by_text("Archivos", exact=True).click()
    expect(office.get_by_text("No tiene archivos.")).to_be_visible()
    assert len(requests) == 1
    small = tmp_path / f"nota {order}.txt"
    small.write_bytes(b"hola")
    office.get_by_label("Agregar archivos").set_input_files([large, small])
    office.get_by_role("button", name="Agregar", exact=True).click()
    expect(office.get_by_role("list", name="Archivos del registro").get_by_role("listitem")).to_have_count(2)
    with office.expect_download() as kept:
        office.get_by_role("button", name=large.name).click()
    assert kept.value.suggested_filename == large.name
    assert kept.value.path().read_bytes() == large.read_bytes()
    office.get_by_label("Agregar archivos").set_input_files(
        {"name": "malo.exe", "mimeType": "application/octet-stream", "buffer": b"MZ"}
    )
    office.get_by_role("button", name="Agregar", exact=True).click()
    expect(office.get_by_role("alert")).to_contain_text("No se admiten archivos de este tipo")
