"""Returns by the console alone: from a pasted sheet to the joined PDF, and what goes wrong between."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from demo.pdf import read_pdf
from playwright.sync_api import Browser, Locator, Page, Route, expect
from stack.addresses import Addresses, any_addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer, exchange
from stack.processes import LOOPBACK
from stack.stack import local_stack
from tools.browser.accessibility import violations
from tools.browser.launching import PHONE, open_context
from tools.browser.people import open_page, paste, sign_in
from tools.browser.scenery import Scenery

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
WAREHOUSE = "01"
PREPARATION = "Preparación del ERP"
UNANSWERED = """
() => {
  const whole = window.fetch;
  window.fetch = async () => {
    window.fetch = whole;
    throw new TypeError("network error");
  };
}
"""
"""The next request finds nobody."""

ASKED_FIELDS = [
    {"name": "U_PATENTE", "label": "Patente", "required": True},
    {"name": "U_VEHICULO", "label": "Vehículo"},
]


@pytest.fixture
def clerk(page: Page) -> Page:
    """A warehouse user on the page of new returns."""
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    expect(page.get_by_label("Planilla")).to_be_visible()  # the catalogues have come
    return page


def sheet(items: list[str]) -> str:
    """Return a sheet: two items that can go back, an unknown one, a cell that is no number."""
    return f"Código\tCantidad\r\n{items[0]}\t1\r\n{items[1]}\t2\r\nNO-EXISTE\t5\r\n{items[2]}\tdos\r\n"


def preview(page: Page, text: str) -> None:
    """Choose the warehouse and paste."""
    page.get_by_label("Bodega").select_option(WAREHOUSE)
    paste(page, page.get_by_label("Planilla"), text)
    expect(page.get_by_role("table", name="Artículos de la planilla")).to_be_visible()


def save(page: Page) -> None:
    """Save the plan, beside another open one where there is one."""
    page.get_by_role("button", name="Guardar planificación").click()
    another = page.get_by_role("button", name="Guardar otra")
    title = page.get_by_role("heading", name=re.compile(r"Planificación \d+"))
    expect(another.or_(title)).to_be_visible()
    if another.is_visible():
        another.click()
    expect(title).to_be_visible()


def line(page: Page, item: str) -> Locator:
    """Return an item's row."""
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=re.compile(f"^{item}")))


def documents(page: Page) -> Locator:
    """Return the rows of the planning's supplier documents."""
    rows = page.get_by_role("table", name="Documentos por proveedor").locator("tbody").get_by_role("row")
    return rows.filter(has=page.get_by_role("rowheader"))


def test_a_pasted_sheet_becomes_documents_and_their_pdf(clerk: Page, items: list[str]) -> None:
    preview(clerk, sheet(items))
    expect(line(clerk, "NO-EXISTE")).to_contain_text("El ERP no tiene este artículo")
    expect(clerk.get_by_role("table", name=re.compile("no se pudo leer"))).to_contain_text("dos")
    save(clerk)
    clerk.get_by_role("button", name="Ejecutar").click()
    clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    expect(clerk.get_by_text("Ejecutada", exact=True)).to_be_visible()
    expect(clerk.get_by_role("alert")).to_have_text(re.compile(r"^\d+ devoluci\S+ creadas?\.$"))
    expect(clerk.locator("main h1")).to_be_focused()  # the button that was pressed is gone
    for document in documents(clerk).all():
        expect(document).to_contain_text("Creado")
        expect(document).to_contain_text(re.compile(r"N\.º \d+"))
    clerk.get_by_role("button", name="Ver documentos tributarios").click()
    with clerk.expect_download() as kept:
        clerk.get_by_role("link", name="Descargar").click()
    assert kept.value.path().read_bytes().startswith(b"%PDF-")
    assert kept.value.suggested_filename.endswith(".pdf")


def test_unknown_columns_are_assigned_by_the_user_and_planned(clerk: Page, items: list[str]) -> None:
    clerk.get_by_label("Bodega").select_option(WAREHOUSE)
    rows = f"{items[0]}\t40\t1500\t1\r\n{items[1]}\t50\t900\t2\r\n"
    paste(clerk, clerk.get_by_label("Planilla", exact=True), f"Referencia\tSaldo\tPrecio\tMala\r\n{rows}")
    expect(clerk.get_by_role("alert")).to_contain_text("No se reconoce qué columna")
    question = clerk.get_by_role("form", name="Columnas de la planilla")
    expect(question.get_by_role("row")).to_have_count(4)  # the selects, the header and two rows
    expect(question.get_by_role("table")).to_contain_text("1500")
    expect(question.get_by_label("Columna 1")).to_be_focused()
    expect(question.get_by_label("Columna 1")).to_have_value("codigo")
    use = question.get_by_role("button", name="Usar estas columnas")
    expect(use).to_be_disabled()
    expect(question.get_by_role("status")).to_have_text("Falta indicar: Cantidad.")
    for _ in range(3):
        clerk.keyboard.press("Tab")
    expect(question.get_by_label("Columna 4")).to_be_focused()
    clerk.keyboard.press("C")  # by keyboard alone: the first option that begins so
    expect(question.get_by_label("Columna 4")).to_have_value("cantidad")
    question.get_by_label("Columna 2").select_option("cantidad")
    expect(question.get_by_label("Columna 4")).to_have_value("")  # one column has one meaning
    question.get_by_label("Columna 4").select_option("cantidad")
    use.press("Enter")
    expect(clerk.get_by_role("table", name="Artículos de la planilla")).to_be_visible()
    expect(question).to_have_count(0)
    warnings = clerk.get_by_role("table", name=re.compile("aviso"))
    expect(warnings).to_contain_text("Referencia Saldo Precio Mala")
    clerk.get_by_role("button", name="Elegir otras columnas").click()
    expect(question).to_be_visible()  # a wrong answer is corrected
    question.get_by_label("Columna 4").select_option("cantidad")
    use.click()
    expect(question).to_have_count(0)
    save(clerk)
    expect(line(clerk, items[0])).to_be_visible()
    expect(line(clerk, items[1])).to_contain_text("2")


def test_an_outcome_stays_visible_while_another_user_executes_the_rest(
    clerk: Page, ask: Ask, items: list[str]
) -> None:
    preview(clerk, "".join(f"{item}\t1\n" for item in items[:8]))
    save(clerk)
    count = len(planning_of(clerk, ask)["documentos"])
    assert count > 1, "everything goes back to one supplier"
    clerk.get_by_role("button", name="Ejecutar").click()
    dialog = clerk.get_by_role("dialog")
    for box in dialog.get_by_role("checkbox").all()[1:]:
        box.uncheck()
    dialog.get_by_role("button", name="Crear 1 devolución").click()
    outcome = clerk.get_by_role("alert")
    told = re.compile(rf"^1 devolución creada, {count - 1} pendientes?\.$")
    expect(outcome).to_have_text(told, timeout=60_000)
    planning = planning_of(clerk, ask)
    login = ask("POST", "/devoluciones/api/auth/login", {"usuario": ERP_USER, "clave": ERP_PASSWORD})
    other = {"Cookie": login.headers["Set-Cookie"].split(";")[0]}
    path = f"/devoluciones/api/planificaciones/{planning['id']}/devoluciones"
    assert ask("POST", path, {"version": planning["version"]}, headers=other).status == 200
    expect(outcome).to_have_text(told)
    clerk.get_by_role("button", name="Ver documentos tributarios").click()
    with clerk.expect_response(lambda answer: answer.url.endswith(f"/planificaciones/{planning['id']}")):
        dialog.get_by_role("button", name="Cerrar").click()  # what is there now is read
    for document in documents(clerk).all():
        expect(document).to_contain_text("Creado")
    expect(outcome).to_have_text(told)


@pytest.mark.parametrize("locks", [True, False])
def test_of_documents_that_failed_the_service_says_which_can_be_changed(
    clerk: Page, items: list[str], locks: bool
) -> None:
    preview(clerk, f"{items[0]}\t1\n")
    save(clerk)
    change = clerk.get_by_role("button", name=f"Cambiar {items[0]}")
    expect(change).to_be_visible()

    def fail(route: Route) -> None:
        answer = route.fetch()
        planning = answer.json()
        for document in planning["documentos"]:
            document |= {"estado": "error", "bloqueaLineas": locks}
        route.fulfill(response=answer, json={**planning, "estado": "con_errores", "acciones": ["editar"]})

    clerk.route(re.compile(r"/api/planificaciones/\d+$"), fail)
    clerk.reload()
    expect(documents(clerk).first).to_contain_text("Error")
    expect(change).to_have_count(0 if locks else 1)
    expect(clerk.get_by_role("button", name="Cambiar datos")).to_have_count(0 if locks else 1)


def test_the_preparation_of_the_erp_is_for_its_superusers(person: OpenPerson) -> None:
    clerk, superuser = person(), person()
    for page, user in ((clerk, WAREHOUSE_USER), (superuser, ERP_USER)):
        open_page(page, "/devoluciones/preparacion")
        sign_in(page, "returns", user, ERP_PASSWORD)
    expect(superuser.get_by_role("navigation").get_by_role("link", name=PREPARATION)).to_be_visible()
    expect(superuser.get_by_role("button", name="Crear lo que falta")).to_be_visible()
    expect(superuser.get_by_role("table", name="Definiciones")).to_contain_text("En orden")
    expect(clerk.get_by_text("Solo un superusuario del ERP puede preparar esto.")).to_be_visible()
    expect(clerk.get_by_role("button", name="Crear lo que falta")).to_have_count(0)
    expect(clerk.get_by_role("navigation").get_by_role("link", name=PREPARATION)).to_have_count(0)
    for page, found in ((clerk, 0), (superuser, 1)):
        page.keyboard.press("Control+k")
        page.get_by_role("dialog").get_by_role("searchbox").fill("preparacion")
        expect(page.get_by_role("dialog").get_by_role("link", name=PREPARATION)).to_have_count(found)


def test_documents_that_wait_for_their_batches_are_not_offered_for_execution(
    clerk: Page, ask: Ask, scenery: Scenery
) -> None:
    preview(clerk, "".join(f"{item}\t1\n" for item in (*scenery.items[8:12], scenery.batches)))
    save(clerk)
    planning = planning_of(clerk, ask)
    lines = {each["itemCode"]: each for each in planning["lineas"]}
    waiting = {part["docId"] for part in lines[scenery.batches]["asignaciones"]}
    ready = len(planning["documentos"]) - len(waiting)
    assert ready > 0, "everything goes back to one supplier"
    clerk.get_by_role("button", name="Ejecutar").click()
    dialog = clerk.get_by_role("dialog")
    expect(dialog.get_by_role("checkbox", checked=True)).to_have_count(ready)
    expect(dialog.get_by_role("checkbox")).to_have_count(ready)
    expect(dialog).to_contain_text("1 documento queda fuera hasta que elija sus lotes o series")
    dialog.get_by_role("button", name=re.compile("^Crear")).click()
    told = re.compile(rf"^{ready} devoluci\w+ creadas?, 1 pendiente\.$")
    expect(clerk.get_by_role("alert")).to_have_text(told, timeout=60_000)
    expect(documents(clerk).first).to_contain_text("Faltan lotes o series")
    expect(clerk.get_by_role("button", name="Ejecutar")).to_have_count(0)
    expect(line(clerk, scenery.batches)).to_contain_text("Elegir lotes")


def test_documents_open_to_receipts_problems_first_and_are_chosen_by_state(
    clerk: Page, ask: Ask, scenery: Scenery
) -> None:
    preview(clerk, "".join(f"{item}\t1\n" for item in (*scenery.items[8:12], scenery.batches)))
    save(clerk)
    planning = planning_of(clerk, ask)
    (waiting,) = [each for each in planning["lineas"] if each["itemCode"] == scenery.batches]
    (receipt,) = waiting["asignaciones"]
    expect(documents(clerk).first).to_contain_text("Faltan lotes o series")
    opener = documents(clerk).first.get_by_role("button", name="Contenido del documento")
    opener.press("Enter")
    inside = clerk.get_by_role("table", name=f"Artículos del documento {receipt['docId']}")
    row = inside.get_by_role("row").filter(has_text=scenery.batches)
    expect(row).to_contain_text(f"N.º {receipt['baseNum']}")
    expect(row).to_contain_text("Por elegir")
    row.get_by_role("button", name=f"Elegir lotes {scenery.batches}").click()
    clerk.keyboard.press("Escape")
    opener.press("Enter")
    expect(inside).to_have_count(0)
    figure = clerk.locator(".figures > div").filter(has_text="Se pide").get_by_role("definition")
    expect(figure).to_have_count(len({each["unidad"] for each in planning["lineas"]}))
    states = clerk.get_by_role("group", name="Documentos por estado")
    states.get_by_role("button", name="Faltan lotes o series 1").click()
    expect(documents(clerk)).to_have_count(1)
    states.get_by_role("button", name="Todos").click()
    expect(documents(clerk)).to_have_count(len(planning["documentos"]))
    clerk.get_by_role("group", name="Líneas por estado").get_by_role("button", name="Completa 4").click()
    expect(line(clerk, scenery.batches)).to_have_count(0)
    clerk.get_by_role("button", name=f"Recepciones de {scenery.items[8]}").press("Enter")
    receipts = clerk.get_by_role("table", name=f"Recepciones de {scenery.items[8]}")
    expect(receipts).to_contain_text(re.compile(r"N\.º \d+"))


def test_one_note_summarizes_a_run_and_only_possible_actions_are_offered(
    clerk: Page, ask: Ask, control: Ask, items: list[str]
) -> None:
    preview(clerk, "".join(f"{item}\t1\n" for item in items[:4]))
    save(clerk)
    refusal = {"kind": "refuse", "status": 400, "code": -5002, "text": "Período bloqueado"}
    for path in ("$batch", "PurchaseReturns"):
        control("POST", "/faults", {"method": "POST", "path": path, "action": refusal, "times": 1})
    try:
        clerk.get_by_role("button", name="Ejecutar").click()
        clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
        told = clerk.get_by_role("alert")
        expect(told).to_contain_text(re.compile(r"^\d+ devoluci\w+ creadas?, 1 falló\."), timeout=60_000)
    finally:
        control("DELETE", "/faults")
    planning = planning_of(clerk, ask)
    (failed,) = [each for each in planning["documentos"] if each["estado"] == "error"]
    expect(told).to_contain_text(f"{failed['proveedor']}: ")
    expect(documents(clerk).first).to_contain_text("Error")
    for each in planning["lineas"]:
        is_free = {part["docId"] for part in each["asignaciones"]} == {failed["docId"]}
        expect(clerk.get_by_role("button", name=f"Cambiar {each['itemCode']}")).to_have_count(int(is_free))
    for absent in ("Ejecutar", "Cambiar datos"):
        expect(clerk.get_by_role("button", name=absent)).to_have_count(0)


def test_a_late_execution_loads_the_current_planning(clerk: Page, ask: Ask, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t1\n")
    save(clerk)
    clerk.get_by_role("button", name="Ejecutar").click()
    change_elsewhere(clerk, ask)
    clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    told = clerk.get_by_role("alert")
    expect(told).to_contain_text("stale_version")
    told.get_by_role("button", name="Traer lo nuevo").click()
    expect(clerk.get_by_text("desde otra ventana")).to_be_visible()
    expect(told).to_have_count(0)
    execute(clerk)


def test_the_open_planning_is_the_default_and_the_pasted_sheet_stays_a_draft(
    clerk: Page, items: list[str]
) -> None:
    preview(clerk, f"{items[0]}\t1\n")
    save(clerk)
    number = clerk.url.rpartition("/")[2]
    open_page(clerk, "/devoluciones/nueva")
    expect(clerk.get_by_label("Planilla")).to_be_visible()
    preview(clerk, f"{items[1]}\t1\n")
    clerk.get_by_role("button", name="Guardar planificación").click()
    keeping = clerk.get_by_role("dialog").get_by_role("link", name=f"Abrir la planificación {number}")
    expect(keeping).to_be_focused()
    keeping.press("Enter")
    expect(clerk.get_by_role("heading", name=f"Planificación {number}")).to_be_visible()
    clerk.get_by_role("link", name="Nueva devolución").click()
    clerk.get_by_role("button", name="Recuperarlo").click()
    expect(clerk.get_by_label("Planilla")).to_have_value(f"{items[1]}\t1\n")


def test_the_pick_list_is_printed_by_warehouse_and_supplier_and_nothing_else(
    clerk: Page, ask: Ask, scenery: Scenery
) -> None:
    preview(clerk, "".join(f"{item}\t2\n" for item in (*scenery.items[8:12], scenery.batches)))
    save(clerk)
    clerk.get_by_role("button", name=f"Elegir los de {scenery.batches}").click()
    clerk.get_by_role("button", name="Tomar los que vencen primero").click()
    clerk.get_by_role("button", name="Guardar", exact=True).click()
    expect(clerk.get_by_role("dialog")).to_have_count(0)
    clerk.evaluate("window.print = () => (document.body.dataset.isPrinted = 'yes')")
    clerk.get_by_role("button", name="Imprimir lista de retiro").click()
    clerk.locator("body[data-is-printed] .pick-list").wait_for(state="attached")
    pages = read_pdf(clerk.pdf(format="A4"))
    expect(clerk.locator(".pick-list")).to_have_count(0)
    assert [each.text for each in read_pdf(clerk.pdf(format="A4"))] == [each.text for each in pages], (
        "by Ctrl+P"
    )
    planning = planning_of(clerk, ask)
    suppliers = {each["cardCode"]: each["proveedor"] for each in planning["documentos"]}
    assert len(pages) == len(suppliers) + 1
    assert "Retiro de la bodega 01" in pages[0].text
    assert all(name in pages[0].text for name in suppliers.values())
    for number, each in enumerate(pages, start=1):
        assert f"Página {number} de {len(pages)}" in each.text
        assert "Firma" in each.text
    for card_code, name in suppliers.items():
        (page,) = [each.text for each in pages if card_code in each.text]
        assert name in page
        for each in planning["lineas"]:
            for part in each["asignaciones"]:
                if part["cardCode"] == card_code:
                    lot = f"{part['lote']} " if part["lote"] else ""
                    assert (
                        f"{each['itemCode']} {each['descripcion']} {lot}{part['cantidad']} {each['unidad']}"
                        in page
                    )
        for absent in ("Inicio", "Registros", "Imprimir", "Ejecutar", "Datos de la devolución"):
            assert absent not in page


def test_shortages_can_be_saved_as_a_sheet(clerk: Page, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t1\n{items[1]}\t100000\nNO-EXISTE\t5\n")
    save(clerk)
    with clerk.expect_download() as kept:
        clerk.get_by_role("button", name="Descargar faltantes").click()
    assert kept.value.suggested_filename == f"faltantes-{clerk.url.rpartition('/')[2]}.csv"
    _, *rows = kept.value.path().read_text("utf-8-sig").splitlines()
    assert [row.partition(";")[0] for row in rows] == [items[1], "NO-EXISTE"]


def test_items_are_read_by_a_scanner_into_a_planning(clerk: Page, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t3\n")
    save(clerk)
    clerk.get_by_role("button", name="Añadir artículos").click()
    adding = clerk.get_by_role("dialog")
    for code in (
        items[1],
        items[2],
        items[1].lower(),
        "",
    ):  # the last one: scanners may send two ends of line
        clerk.keyboard.type(f"{code}\n")
    quantities = adding.get_by_label("Cantidad")
    expect(quantities).to_have_count(3)
    for at, quantity in enumerate(("2", "1", "")):
        expect(quantities.nth(at)).to_have_value(quantity)
    expect(adding.get_by_role("textbox", name="Artículo").last).to_be_focused()
    adding.get_by_role("button", name="Añadir y planificar").click()
    expect(clerk.get_by_text("2 artículos añadidos.")).to_be_visible()
    expect(line(clerk, items[1]).get_by_role("cell").nth(1)).to_contain_text("2")


def test_scanning_into_a_focused_quantity_sends_no_request(
    clerk: Page, items: list[str], scenery: Scenery
) -> None:
    preview(clerk, f"{items[0]}\t3\n{scenery.batches}\t2\n")
    save(clerk)
    clerk.get_by_role("button", name="Añadir artículos").click()
    adding = clerk.get_by_role("dialog")
    clerk.keyboard.type(f"{items[1]}\n")
    adding.get_by_label("Cantidad").first.focus()
    clerk.keyboard.type("5\n")
    codes = adding.get_by_role("textbox", name="Artículo")
    expect(codes.last).to_be_focused()
    expect(codes).to_have_count(2)
    adding.get_by_label("Cantidad").last.fill("4")  # of the same item: they are added up
    codes.last.focus()
    clerk.keyboard.type(f"{items[1]}\n")
    for at, quantity in enumerate(("19", "")):
        expect(adding.get_by_label("Cantidad").nth(at)).to_have_value(quantity)
    expect(adding.get_by_role("button", name="Añadir y planificar")).to_be_enabled()
    adding.get_by_role("button", name="Cancelar").click()
    clerk.get_by_role("button", name="Salir sin guardar").click()
    clerk.get_by_role("button", name=f"Elegir lotes {scenery.batches}").click()
    picking = clerk.get_by_role("dialog")
    lots = picking.get_by_role("table", name="Lotes").get_by_role("textbox")
    for box in (picking.get_by_label(re.compile("^Cantidad( \\(|$)")), lots.first):
        box.fill("1")
        box.press("Enter")
        expect(picking.get_by_label("Leer lote")).to_be_focused()
    expect(picking.get_by_role("alert")).to_have_count(0)


def test_picks_that_are_recovered_wait_for_the_batches_they_are_of(clerk: Page, scenery: Scenery) -> None:
    preview(clerk, f"{scenery.batches}\t2\n")
    save(clerk)
    clerk.get_by_role("button", name=f"Elegir lotes {scenery.batches}").click()
    clerk.get_by_role("button", name="Tomar los que vencen primero").click()
    expect(clerk.get_by_text("2 de 2 elegidos")).to_be_visible()
    clerk.reload()
    choosing = clerk.get_by_role("button", name=f"Elegir lotes {scenery.batches}").first
    expect(choosing).to_be_visible()
    clerk.evaluate(UNANSWERED)
    choosing.click()
    picking = clerk.get_by_role("dialog")
    expect(picking.get_by_role("alert")).to_be_visible()
    picking.get_by_role("button", name="Recuperarlo").click()
    expect(picking.get_by_role("button", name="Recuperarlo")).to_have_count(0)
    saving = picking.get_by_role("button", name="Guardar", exact=True)
    expect(saving).to_be_disabled()
    picking.get_by_role("button", name="Intentar de nuevo").click()
    expect(picking.get_by_text("2 de 2 elegidos")).to_be_visible()
    saving.click()
    expect(line(clerk, scenery.batches)).to_contain_text("Completa")


def test_a_question_after_the_first_return_does_not_block_the_others(clerk: Page, items: list[str]) -> None:
    def asking(route: Route) -> None:
        answer = route.fetch()
        field = {"nombre": "U_P", "etiqueta": "Patente", "tipo": "texto", "obligatorio": True, "valores": []}
        route.fulfill(response=answer, json={**answer.json(), "camposDevolucion": [field]})

    preview(clerk, "".join(f"{item}\t1\n" for item in items[:4]))
    save(clerk)
    clerk.route("**/catalogos", asking)
    clerk.reload()
    expect(clerk.get_by_role("button", name="Completar datos")).to_be_visible()
    clerk.unroute("**/catalogos")
    clerk.reload()
    clerk.get_by_role("button", name="Ejecutar").click()
    chosen = clerk.get_by_role("dialog").get_by_role("checkbox")
    for at in range(1, chosen.count()):
        chosen.nth(at).uncheck()
    clerk.get_by_role("button", name="Crear 1 devolución").click()
    expect(clerk.get_by_role("alert")).to_contain_text("1 devolución creada", timeout=60_000)
    clerk.route("**/catalogos", asking)
    clerk.reload()
    expect(clerk.get_by_text("Patente", exact=True)).to_be_visible()
    expect(clerk.get_by_role("button", name="Completar datos")).to_have_count(0)
    expect(clerk.get_by_role("button", name="Ejecutar")).to_be_visible()


def test_batches_are_read_by_a_scanner(clerk: Page, ask: Ask, scenery: Scenery) -> None:
    preview(clerk, f"{scenery.batches}\t2\n")
    save(clerk)
    clerk.get_by_role("button", name=f"Elegir lotes {scenery.batches}").click()
    picking = clerk.get_by_role("dialog")
    lots = picking.get_by_role("table", name="Lotes").get_by_role("rowheader")
    expect(lots.first).to_be_visible()
    reader = picking.get_by_label("Leer lote")
    expect(reader).to_be_focused()
    clerk.keyboard.type("NO-HAY\n")
    expect(reader).to_have_attribute("aria-invalid", "true")
    expect(picking).to_contain_text("En la bodega no hay lote NO-HAY de este artículo.")
    name = lots.first.inner_text()
    clerk.keyboard.type(f"{name.lower()}\n\n")
    expect(picking.get_by_text("2 de 2 elegidos")).to_be_visible()
    expect(reader).to_have_value("")
    clerk.keyboard.type(f"{name}\n")
    expect(picking).to_contain_text("Ya está elegido todo lo que vuelve.")
    picking.get_by_role("button", name="Guardar", exact=True).click()
    expect(picking).to_have_count(0)
    (saved,) = planning_of(clerk, ask)["lineas"]
    assert [(part["lote"], part["cantidad"]) for part in saved["asignaciones"]] == [(name, 2)]


def test_a_preview_that_got_no_answer_speaks_of_no_change(
    clerk: Page, items: list[str], cut_off: Callable[[Page, str], None]
) -> None:
    clerk.get_by_label("Bodega").select_option(WAREHOUSE)
    clerk.evaluate(UNANSWERED)
    paste(clerk, clerk.get_by_label("Planilla"), f"{items[0]}\t1\n")
    told = clerk.get_by_role("alert")
    expect(told).to_contain_text("No hay conexión con el servidor. No se cambió nada")
    cut_off(clerk, "/pegar")
    clerk.get_by_role("button", name="Intentar de nuevo").click()
    expect(told).to_contain_text("La respuesta no llegó completa. No se cambió nada")
    clerk.get_by_role("button", name="Intentar de nuevo").click()
    expect(clerk.get_by_role("table", name="Artículos de la planilla")).to_be_visible()


def test_every_cell_that_could_not_be_read_is_shown(clerk: Page, items: list[str]) -> None:
    rows = "".join(f"{items[0]}\tdos {row}\r\n" for row in range(230))
    preview(clerk, f"Código\tCantidad\r\n{items[0]}\t1\r\n{rows}")
    notes = clerk.get_by_role("table", name="230 celdas no se pudieron leer")
    expect(notes.get_by_role("row")).to_have_count(231)


def test_unreadable_cells_are_corrected_where_they_are_listed(clerk: Page, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t1\n{items[1]}\tdos\n{items[2]}\t-3\n")
    notes = clerk.get_by_role("table", name="2 celdas no se pudieron leer")
    row = notes.get_by_role("row").filter(has_text=items[1])
    expect(row).to_contain_text(f"La cantidad «dos» de «{items[1]}» no es un número.")
    row.get_by_label(f"Cantidad de la fila 2, artículo {items[1]}").fill("2")
    notes.get_by_label(f"Cantidad de la fila 3, artículo {items[2]}").fill("3")
    assert violations(clerk) == []
    clerk.get_by_role("button", name="Corregir y ver de nuevo").click()
    expect(notes).to_have_count(0)
    expect(line(clerk, items[1])).to_contain_text("2 ")
    expect(clerk.get_by_role("textbox", name="Planilla")).to_have_value(
        f"{items[0]}\t1\n{items[1]}\t2\n{items[2]}\t3\n"
    )
    save(clerk)
    expect(clerk.get_by_role("heading", name="3 líneas")).to_be_visible()


def test_what_is_left_after_a_run_turns_no_state_back_and_offers_one_primary_button(
    clerk: Page, ask: Ask, scenery: Scenery
) -> None:
    preview(clerk, "".join(f"{item}\t1\n" for item in (*scenery.items[8:12], scenery.batches)))
    save(clerk)
    clerk.get_by_role("button", name="Ejecutar").click()
    clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    head = clerk.locator(".page-head")
    primary = head.locator(".main")
    expect(head).to_contain_text("Ejecutada en parte", timeout=60_000)
    expect(primary).to_have_text(["Ver documentos tributarios"])
    clerk.get_by_role("button", name=f"Elegir los de {scenery.batches}").click()
    clerk.get_by_role("button", name="Tomar los que vencen primero").click()
    clerk.get_by_role("button", name="Guardar", exact=True).click()
    expect(primary).to_have_text(["Ejecutar"])
    expect(head).to_contain_text("Ejecutada en parte")
    clerk.get_by_role("button", name=f"Cambiar {scenery.batches}").click()
    clerk.get_by_role("dialog").get_by_label("Dejar fuera").check()
    clerk.get_by_role("button", name="Guardar", exact=True).click()
    expect(primary).to_have_text(["Ver documentos tributarios"])
    planning = planning_of(clerk, ask)
    assert planning["estado"] == "ejecutada"
    row = clerk.get_by_role("row").filter(has=clerk.get_by_role("rowheader", name=str(planning["numero"])))
    open_page(clerk, "/devoluciones")
    expect(clerk.get_by_role("table", name="Planificaciones")).to_be_visible()
    expect(row).to_have_count(0)
    clerk.get_by_label("Estado").select_option("Ejecutadas, sin cerrar")
    expect(row).to_contain_text("Ejecutada")


def test_progress_is_shown_during_an_execution(clerk: Page, items: list[str], slow_returns: None) -> None:
    preview(clerk, f"{items[0]}\t40\n{items[1]}\t40\n{items[3]}\t40\n")
    save(clerk)
    clerk.get_by_role("button", name="Ejecutar").click()
    clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    expect(clerk.get_by_role("progressbar", name="Avance")).to_be_visible()
    expect(clerk.get_by_text(re.compile(r"^[1-9]\d* de \d+ documentos$"))).to_be_visible()
    expect(clerk.get_by_text("Ejecutada", exact=True)).to_be_visible()


def test_an_execution_reports_the_number_of_its_own_returns(clerk: Page, items: list[str]) -> None:
    preview(clerk, "".join(f"{item}\t1\n" for item in items[:4]))
    save(clerk)
    clerk.get_by_role("button", name="Ejecutar").click()
    chosen = clerk.get_by_role("dialog").get_by_role("checkbox")
    others = chosen.count() - 1
    assert others > 0
    for at in range(others):
        chosen.nth(at + 1).uncheck()
    clerk.get_by_role("button", name="Crear 1 devolución").click()
    pending = "1 pendiente" if others == 1 else f"{others} pendientes"
    told = clerk.get_by_role("alert")
    expect(told).to_have_text(f"1 devolución creada, {pending}.", timeout=60_000)
    clerk.get_by_role("button", name="Ejecutar").click()
    clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    expect(told).to_have_text(re.compile(rf"^{others} devoluci\w+ creadas?\.$"), timeout=60_000)
    expect(clerk.get_by_text("Ejecutada", exact=True)).to_be_visible()


def test_a_line_is_changed_and_left_out_by_the_keyboard(clerk: Page, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t3\n{items[1]}\t2\n")
    save(clerk)
    clerk.get_by_role("button", name=f"Cambiar {items[0]}").press("Enter")
    quantity = clerk.get_by_label("Cantidad")
    quantity.fill("1")
    quantity.press("Enter")  # as a scanner ends: it sends nothing
    expect(clerk.get_by_role("dialog").get_by_label("Proveedor")).to_be_focused()
    clerk.get_by_role("button", name="Guardar", exact=True).press("Enter")
    expect(clerk.get_by_role("dialog")).to_have_count(0)
    expect(line(clerk, items[0]).get_by_role("cell").nth(1)).to_contain_text("1")
    clerk.get_by_role("button", name=f"Cambiar {items[1]}").press("Enter")
    expect(clerk.get_by_label("Dejar fuera de la devolución")).to_be_visible()
    clerk.get_by_label("Dejar fuera de la devolución").press("Space")
    expect(clerk.get_by_role("button", name="Guardar", exact=True)).to_be_enabled()
    clerk.keyboard.press("Control+Enter")
    expect(line(clerk, items[1])).to_contain_text("Excluida")
    expect(clerk.get_by_role("button", name=f"Cambiar {items[1]}")).to_be_focused()


def test_items_are_added_to_a_planning_by_the_keyboard(clerk: Page, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t3\n")
    save(clerk)
    clerk.get_by_role("button", name="Añadir artículos").press("Enter")
    adding = clerk.get_by_role("dialog", name="Añadir artículos")
    expect(adding.get_by_role("textbox", name="Artículo")).to_be_focused()
    clerk.keyboard.insert_text(items[1])
    adding.get_by_label("Cantidad").fill("-1")
    adding.get_by_role("button", name="Añadir y planificar").press("Enter")
    expect(adding.get_by_label("Cantidad")).to_have_attribute("aria-invalid", "true")
    adding.get_by_label("Cantidad").fill("2")
    adding.get_by_role("button", name="Otro artículo").press("Enter")
    expect(adding.get_by_role("textbox", name="Artículo").last).to_be_focused()
    clerk.keyboard.insert_text("NO-EXISTE")
    adding.get_by_label("Cantidad").last.fill("1")
    adding.get_by_role("button", name="Añadir y planificar").press("Enter")
    expect(clerk.get_by_role("dialog")).to_have_count(0)
    expect(line(clerk, items[1])).to_contain_text("Completa")
    expect(line(clerk, "NO-EXISTE")).to_contain_text("El ERP no tiene este artículo")
    expect(clerk.get_by_role("button", name="Añadir artículos")).to_be_focused()


def test_a_planning_is_planned_again_with_the_stock_of_today(
    clerk: Page, ask: Ask, program: Ask, items: list[str]
) -> None:
    item = items[-1]
    preview(clerk, f"{item}\t5\n")
    save(clerk)
    expect(line(clerk, item)).to_contain_text("Completa")
    (planned,) = planning_of(clerk, ask)["lineas"]
    left = {"ItemCode": item, "WarehouseCode": WAREHOUSE, "Quantity": planned["stock"] - 2}
    assert program("POST", "/api/sl/InventoryGenExits", {"DocumentLines": [left]}).status == 201
    clerk.get_by_role("button", name="Planificar de nuevo").press("Enter")
    again = clerk.get_by_role("dialog", name="Planificar de nuevo")
    again.get_by_role("button", name="Planificar de nuevo").press("Enter")
    expect(
        clerk.get_by_text(re.compile(r"Planificada de nuevo: vuelven 2\s\w+, antes 5\s\w+\.$"))
    ).to_be_visible()
    expect(line(clerk, item)).to_contain_text("Parcial")


def test_batches_are_picked_and_then_the_return_is_made(clerk: Page, scenery: Scenery) -> None:
    preview(clerk, f"{scenery.batches}\t2\n")
    save(clerk)
    expect(line(clerk, scenery.batches)).to_contain_text("Elegir lotes")
    clerk.get_by_role("button", name=f"Elegir lotes {scenery.batches}").click()
    lots = clerk.get_by_role("dialog").get_by_role("table", name="Lotes")
    expect(lots).to_be_visible()
    clerk.get_by_role("button", name="Tomar los que vencen primero").click()
    expect(clerk.get_by_text("2 de 2 elegidos")).to_be_visible()
    clerk.get_by_role("button", name="Guardar", exact=True).click()
    expect(line(clerk, scenery.batches)).to_contain_text("Completa")
    execute(clerk)


def test_batches_of_broken_quantities_are_taken_to_the_last_decimal(clerk: Page, scenery: Scenery) -> None:
    def broken(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        first = body["lotes"][0]
        body["lotes"] = [
            {**first, "lote": name, "disponible": left, "elegida": 0}
            for name, left in (("A", 0.1), ("B", 0.5))
        ]
        route.fulfill(response=answer, json=body)

    preview(clerk, f"{scenery.batches}\t0,3\n")
    save(clerk)
    clerk.route("**/lotes", broken)
    clerk.get_by_role("button", name=f"Elegir lotes {scenery.batches}").click()
    clerk.get_by_role("button", name="Tomar los que vencen primero").click()
    expect(clerk.get_by_label("Cantidad de A")).to_have_value("0,1")
    expect(clerk.get_by_label("Cantidad de B")).to_have_value("0,2")


def test_serial_numbers_are_picked_one_by_one_by_the_keyboard(clerk: Page, scenery: Scenery) -> None:
    preview(clerk, f"{scenery.serials}\t1\n")
    save(clerk)
    clerk.get_by_role("button", name=f"Elegir series {scenery.serials}").press("Enter")
    serial = clerk.get_by_role("dialog").get_by_role("checkbox", name="Devolver").first
    expect(serial).to_be_visible()
    serial.press("Space")
    expect(clerk.get_by_text("1 de 1 elegido")).to_be_visible()
    clerk.keyboard.press("Control+Enter")
    expect(line(clerk, scenery.serials)).to_contain_text("Completa")
    execute(clerk)


def execute(page: Page) -> None:
    """Make all documents of the planning shown."""
    page.get_by_role("button", name="Ejecutar").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    expect(page.get_by_text("Ejecutada", exact=True)).to_be_visible(timeout=60_000)


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Addresses]:
    """A stack of its own, whose returns ask for fields: one that is required would stop all other tests."""
    settings = {"RETURN_ASKED_FIELDS": json.dumps(ASKED_FIELDS)}
    with local_stack(tmp_path, addresses=any_addresses(), returns_settings=settings) as stack:
        # before anybody signs in to the returns, who read valid values then
        erp = signed_in_to_erp(stack.addresses)
        values = [{"Value": "1", "Description": "Camión"}, {"Value": "2", "Description": "Camioneta"}]
        for field in (
            {"Name": "PATENTE", "Size": 10},
            {"Name": "VEHICULO", "Size": 1, "ValidValuesMD": values},
        ):
            body = {"TableName": "ORPD", "Type": "db_Alpha", "Description": "Conducción", **field}
            assert erp("POST", "/b1s/v1/UserFieldsMD", body).status == 201
        superuser = {"usuario": ERP_USER, "clave": ERP_PASSWORD}
        ask = partial(exchange, stack.addresses.origin)
        login = ask("POST", "/devoluciones/api/auth/login", superuser)
        cookie = {"Cookie": login.headers["Set-Cookie"].split(";")[0]}
        rebuild = "/devoluciones/api/metadata/rebuild"
        assert ask("POST", rebuild, {"simular": False}, headers=cookie).status == 200
        yield stack.addresses


def signed_in_to_erp(addresses: Addresses) -> Ask:
    """Return what asks the simulated ERP of a stack itself."""
    erp = partial(exchange, addresses.erpsim)
    login = {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
    session = erp("POST", "/b1s/v1/Login", login).body["SessionId"]
    return partial(erp, headers={"Cookie": f"B1SESSION={session}"})


def test_configured_fields_are_required_and_stored_in_the_return(
    browser: Browser, asking: Addresses, items: list[str]
) -> None:
    with open_context(browser, f"http://{LOOPBACK}:{asking.origin}") as context:
        page = context.new_page()
        open_page(page, "/devoluciones/nueva")
        sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
        preview(page, f"{items[0]}\t1\n")
        expect(page.get_by_label("Patente (obligatorio)")).to_be_visible()
        save(page)
        lacking = page.get_by_text("Antes de ejecutar hay que completar: Patente.")
        expect(lacking).to_be_visible()
        page.get_by_role("button", name="Cambiar datos").click()
        data = page.get_by_role("dialog")
        vehicle = data.get_by_label("Vehículo")
        expect(vehicle.get_by_role("option")).to_have_text(["Sin indicar", "1 · Camión", "2 · Camioneta"])
        vehicle.select_option("2")
        data.get_by_role("button", name="Guardar", exact=True).click()
        expect(data.get_by_label("Patente")).to_have_attribute("aria-invalid", "true")
        data.get_by_label("Patente").fill("ABCD12")
        data.get_by_role("button", name="Guardar", exact=True).click()
        expect(data).to_have_count(0)
        expect(lacking).to_have_count(0)
        expect(page.get_by_text("Camioneta", exact=True)).to_be_visible()
        execute(page)
    newest = "/b1s/v1/PurchaseReturns?$orderby=DocEntry%20desc&$top=1"
    (made,) = signed_in_to_erp(asking)("GET", newest).body["value"]
    assert (made["U_PATENTE"], made["U_VEHICULO"]) == ("ABCD12", "2")


def test_failed_documents_are_reprocessed_and_name_their_replacement(
    clerk: Page, control: Ask, items: list[str]
) -> None:
    preview(clerk, f"{items[4]}\t1\n")
    save(clerk)
    refusal = {"kind": "refuse", "status": 400, "code": -5002, "text": "Período bloqueado"}
    for path in ("$batch", "PurchaseReturns"):
        control("POST", "/faults", {"method": "POST", "path": path, "action": refusal, "times": None})
    try:
        clerk.get_by_role("button", name="Ejecutar").click()
        clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
        expect(clerk.get_by_text("Con errores", exact=True)).to_be_visible(timeout=60_000)
        expect(clerk.get_by_role("alert")).to_contain_text("Ninguna devolución creada, 1 falló.")
        expect(clerk.get_by_role("alert")).to_contain_text("Período bloqueado")
        expect(documents(clerk)).to_contain_text("Error")
    finally:
        control("DELETE", "/faults")
    clerk.get_by_role("button", name="Reprocesar").click()
    expect(clerk.get_by_role("dialog")).to_contain_text("1 documento queda por resolver")
    clerk.get_by_role("dialog").get_by_label(re.compile("Planificar de nuevo")).check()
    clerk.get_by_role("dialog").get_by_role("button", name="Reprocesar").click()
    expect(clerk.get_by_text("Ejecutada", exact=True)).to_be_visible(timeout=60_000)
    expect(clerk.get_by_role("alert")).to_have_text("1 devolución creada.")
    made, replaced = documents(clerk).all()
    number = re.findall(r"N\.º \d+", made.inner_text())[0]
    expect(replaced).to_contain_text(f"Lo reemplaza la devolución {number}.")


def test_a_late_change_is_reported_and_the_current_planning_is_shown(
    clerk: Page, ask: Ask, items: list[str]
) -> None:
    preview(clerk, f"{items[0]}\t3\n")
    save(clerk)
    clerk.get_by_role("button", name=f"Cambiar {items[0]}").click()
    change_elsewhere(clerk, ask)
    clerk.get_by_label("Cantidad").fill("2")
    clerk.get_by_role("button", name="Guardar", exact=True).click()
    told = clerk.get_by_role("dialog").get_by_role("alert")
    expect(told).to_contain_text("stale_version")
    expect(clerk.get_by_role("button", name="Guardar", exact=True)).to_be_disabled()
    clerk.evaluate(UNANSWERED)
    told.get_by_role("button", name="Traer lo nuevo").click()
    expect(told).to_contain_text("No se pudo traer: No hay conexión")
    told.get_by_role("button", name="Traer lo nuevo").press("Enter")
    expect(told).to_contain_text("Lo que usted escribió sigue aquí")
    expect(clerk.get_by_label("Cantidad")).to_have_value("2")
    expect(clerk.get_by_label("Cantidad")).to_be_focused()
    clerk.get_by_role("button", name="Guardar", exact=True).press("Enter")
    expect(line(clerk, items[0]).get_by_role("cell").nth(1)).to_contain_text("2")
    expect(clerk.get_by_text("desde otra ventana")).to_be_visible()


def test_after_a_late_change_only_edited_values_are_sent(clerk: Page, ask: Ask, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t3\n")
    save(clerk)
    clerk.get_by_role("button", name="Cambiar datos").click()
    changing = clerk.get_by_role("dialog")
    change_elsewhere(clerk, ask)
    changing.get_by_label("Motivo").select_option(index=1)
    changing.get_by_role("button", name="Guardar", exact=True).click()
    expect(changing.get_by_role("alert")).to_contain_text("stale_version")
    expect(changing.get_by_label("Comentario")).to_have_value("")
    changing.get_by_role("button", name="Traer lo nuevo").click()
    expect(changing.get_by_label("Comentario")).to_have_value("desde otra ventana")
    changing.get_by_role("button", name="Guardar", exact=True).click()
    expect(clerk.get_by_role("dialog")).to_have_count(0)
    header = planning_of(clerk, ask)["cabecera"]
    assert header["comentario"] == "desde otra ventana"
    assert header["motivo"] is not None


def change_elsewhere(page: Page, ask: Ask) -> None:
    """Change the comment of the planning shown, as the same person in another window."""
    body = {"version": planning_of(page, ask)["version"], "comentario": "desde otra ventana"}
    path = f"{path_of(page)}/cabecera"
    assert ask("PATCH", path, body, headers=cookie_of(page)).status == 200


def path_of(page: Page) -> str:
    """Return the planning shown, as the service's route."""
    return f"/devoluciones/api/planificaciones/{page.url.rpartition('/')[2]}"


def planning_of(page: Page, ask: Ask) -> dict[str, Any]:
    """Return the planning shown, as the service has it."""
    planning: dict[str, Any] = ask("GET", path_of(page), headers=cookie_of(page)).body
    return planning


def cookie_of(page: Page) -> dict[str, str]:
    """Return the session's cookie as a header."""
    (sid,) = [each for each in page.context.cookies() if each["name"] == "dp_sid"]
    return {"Cookie": f"dp_sid={sid['value']}"}


def test_a_session_that_ends_while_typing_keeps_the_input(clerk: Page, ask: Ask, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t1\n")
    save(clerk)
    clerk.get_by_role("button", name="Cambiar datos").click()
    clerk.get_by_label("Comentario").fill("Retira el proveedor el jueves")
    assert ask("POST", "/devoluciones/api/auth/logout", headers=cookie_of(clerk)).status == 204
    clerk.get_by_role("button", name="Guardar", exact=True).click()
    again = clerk.get_by_role("dialog", name="Vuelva a entrar")
    expect(again).to_contain_text("Debe iniciar sesión")
    expect(again.get_by_label("Usuario del ERP")).to_have_value(WAREHOUSE_USER)
    again.get_by_label("Contraseña").fill(ERP_PASSWORD)
    clerk.keyboard.press("Enter")
    expect(clerk.get_by_role("dialog")).to_have_count(0)
    expect(clerk.get_by_text("Retira el proveedor el jueves")).to_be_visible()


def test_cancelling_the_sign_in_keeps_the_input(clerk: Page, ask: Ask, items: list[str]) -> None:
    clerk.get_by_label("Bodega").select_option(WAREHOUSE)
    assert ask("POST", "/devoluciones/api/auth/logout", headers=cookie_of(clerk)).status == 204
    paste(clerk, clerk.get_by_label("Planilla"), f"{items[0]}\t1\n")
    clerk.get_by_role("dialog", name="Vuelva a entrar").get_by_role("button", name="Ahora no").click()
    expect(clerk.get_by_label("Planilla")).to_have_value(f"{items[0]}\t1\n")


def test_escape_turns_away_from_the_sign_in_however_often_it_is_pressed(
    clerk: Page, ask: Ask, items: list[str]
) -> None:
    clerk.get_by_label("Bodega").select_option(WAREHOUSE)
    assert ask("POST", "/devoluciones/api/auth/logout", headers=cookie_of(clerk)).status == 204
    paste(clerk, clerk.get_by_label("Planilla"), f"{items[0]}\t1\n")
    expect(clerk.get_by_role("dialog", name="Vuelva a entrar")).to_be_visible()
    for _ in range(2):
        clerk.keyboard.press("Escape")
    expect(clerk.get_by_role("dialog")).to_have_count(0)
    expect(clerk.get_by_role("alert")).to_contain_text("Debe iniciar sesión")
    expect(clerk.get_by_role("button", name="Ver qué puede volver")).to_be_enabled()


@pytest.mark.usefixtures("slow_returns")  # it goes on for longer than the first look at what became of it
def test_an_execution_is_followed_after_a_lost_connection(
    clerk: Page, items: list[str], cut_off: Callable[[Page, str], None]
) -> None:
    preview(clerk, f"{items[0]}\t1\n")
    save(clerk)
    cut_off(clerk, "/devoluciones")
    clerk.get_by_role("button", name="Ejecutar").click()
    clerk.get_by_role("dialog").get_by_role("button", name=re.compile("^Crear")).click()
    broken = clerk.get_by_text("Se perdió la conexión; el trabajo sigue en el servidor.")
    expect(broken).to_be_visible()
    expect(clerk.get_by_text("Ejecutada", exact=True)).to_be_visible(timeout=60_000)
    expect(clerk.get_by_role("alert")).to_have_text("1 devolución creada.")
    expect(broken).to_have_count(0)


def test_a_slow_save_is_sent_once_and_leaves_people_where_they_went(clerk: Page, items: list[str]) -> None:
    held: list[Route] = []
    preview(clerk, f"{items[0]}\t1\n")
    clerk.route(
        "**/api/planificaciones",
        lambda route: held.append(route) if route.request.method == "POST" else route.continue_(),
    )
    saving = clerk.get_by_role("button", name="Guardar planificación")
    saving.click()
    with clerk.expect_response("**/pegar"):
        clerk.get_by_label("Cómo están escritos los números").select_option("es")
    expect(saving).to_be_disabled()
    clerk.get_by_role("navigation", name="Principal").get_by_role("link", name="Planificaciones").click()
    title = clerk.get_by_role("heading", name="Planificaciones de devolución", level=1)
    expect(title).to_be_visible()
    (one,) = held
    answer = one.fetch(post_data={**(one.request.post_data_json or {}), "permitirOtra": True})
    one.fulfill(response=answer)
    expect(clerk.get_by_text(re.compile(r"^Planificación \d+ guardada"))).to_be_visible()
    expect(title).to_be_visible()


def test_an_outage_of_the_erp_is_shown_and_the_page_works_after_recovery(
    clerk: Page, control: Ask, items: list[str]
) -> None:
    control("POST", "/faults", {"action": {"kind": "bad-gateway"}, "times": None})
    try:
        clerk.get_by_label("Bodega").select_option(WAREHOUSE)
        paste(clerk, clerk.get_by_label("Planilla"), f"{items[0]}\t1\n")
        expect(clerk.get_by_role("alert")).to_be_visible()
    finally:
        control("DELETE", "/faults")
    clerk.get_by_role("button", name="Ver qué puede volver").click()
    expect(clerk.get_by_role("table", name="Artículos de la planilla")).to_be_visible()
    expect(clerk.get_by_role("alert")).to_have_count(0)


def test_a_planning_is_closed_with_its_reason_and_leaves_the_list(clerk: Page, items: list[str]) -> None:
    preview(clerk, f"{items[0]}\t1\n")
    save(clerk)
    number = clerk.url.rpartition("/")[2]
    clerk.get_by_role("button", name="Cerrar planificación").click()
    clerk.get_by_role("dialog").get_by_label("Motivo").fill("Se queda")
    clerk.get_by_role("dialog").get_by_role("button", name="Cerrar planificación").click()
    expect(clerk.get_by_text("Cerrada", exact=True)).to_be_visible()
    expect(clerk.get_by_role("button", name="Ejecutar")).to_have_count(0)
    clerk.get_by_role("link", name="Planificaciones").first.click()
    expect(clerk.get_by_role("navigation", name="Páginas")).to_be_visible()
    expect(clerk.get_by_role("link", name=number, exact=True)).to_have_count(0)
    clerk.get_by_label("Estado").select_option("Cerradas")
    expect(clerk.get_by_role("link", name=number, exact=True)).to_be_visible()


def test_on_a_phone_rows_are_cards_within_the_screen(person: OpenPerson, items: list[str]) -> None:
    page = person(PHONE)
    open_page(page, "/devoluciones/nueva")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    preview(page, sheet(items))
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE
    expect(line(page, "NO-EXISTE")).to_contain_text("El ERP no tiene este artículo")
    page.get_by_role("checkbox", name=f"Elegir {items[0]}").check()  # refused where anything lies over it
    page.get_by_role("button", name=f"Recepciones de {items[0]}").click()
    page.get_by_role("button", name="Menú").click()
    page.get_by_role("navigation", name="Principal").get_by_role("link", name="Planificaciones").click()
    page.get_by_role("button", name="Salir sin guardar").click()
    expect(page.get_by_role("heading", name="Planificaciones de devolución")).to_be_visible()
