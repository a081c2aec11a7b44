"""Every page: accessible, still, no wider than the screen, and told apart by who looks at it."""

import json
import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect
from stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer
from tools.browser.accessibility import violations
from tools.browser.fitting import misfits
from tools.browser.launching import NARROW, PHONE, WIDE
from tools.browser.people import open_all, open_page, resolve, sign_in
from tools.browser.scenery import Scenery
from tools.browser.watching import noted

Ask = Callable[..., Answer]
OpenPerson = Callable[..., Page]
LOOKS = ((WIDE, False), (WIDE, True), (PHONE, False), (PHONE, True), (NARROW, False))
STILL = 0.02
"""A layout shift that no eye sees; from 0.1 on it would be called bad."""


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('<b style="position: relative; top: 1.2em">Nombre</b><br>Valor', ['"Valor" over "Nombre"']),
        (
            '<label style="position: absolute; top: 12px">Precio</label><input value=7>',
            ['"[7]" over "Precio"'],
        ),
        (
            '<p style="width: 3em; overflow: hidden; white-space: nowrap">23.927.222',
            ['"23.927.222" is cut off'],
        ),
        ('<p style="width: 3em; overflow: auto; white-space: nowrap">23.927.222', []),
        ('<p style="position: fixed; top: 0">Aviso</p><p>Texto', []),
    ],
    ids=["over text", "over a value", "cut off", "scrolls", "a layer above"],
)
def test_layout_problems_are_detected(page: Page, content: str, fault: list[str]) -> None:
    page.set_content(f"<body>{content}</body>")
    assert misfits(page) == fault
    page.set_content('<div style="width: 1500px">.</div>')
    assert misfits(page) == ["is 68 points wider than the screen"]  # with the margin


@pytest.mark.timeout(900)  # twenty pages; 40 s on a quiet machine
@pytest.mark.parametrize(
    ("width", "dark"), LOOKS, ids=["wide", "wide, dark", "phone", "phone, dark", "narrow"]
)
def test_every_page_is_accessible_still_and_fits(
    person: OpenPerson, scenery: Scenery, width: int, dark: bool
) -> None:
    page = person(width, dark=dark)
    open_page(page)
    assert violations(page) == []
    sign_in(page, "gateway", "ana", "ana-demo")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    faults = {}
    for name, path in scenery.pages().items():
        open_page(page, path)
        resolve(page)
        wrong = violations(page)
        observed = noted(page)
        if sum(observed["shifts"]) > STILL:
            wrong.append(f"moves by {sum(observed['shifts']):.3f}")
        wrong += observed["policy"] + misfits(page)
        if open_all(page):
            wrong += [f"opened: {each}" for each in [*violations(page), *misfits(page)]]
        if wrong:
            faults[name] = wrong
    assert faults == {}


def test_dialogs_and_refusals_are_accessible_too(page: Page, scenery: Scenery) -> None:
    open_page(page, f"/devoluciones/{scenery.planned}")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    for opened in ("Contenido del documento", "Recepciones de"):
        page.get_by_role("button", name=opened).first.click()
        assert violations(page) == []
    for opener in ("Ejecutar", "Cambiar datos", "Añadir artículos", "Cerrar planificación"):
        page.get_by_role("button", name=opener, exact=True).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert violations(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("button", name=opener, exact=True)).to_be_focused()


@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_tree_of_permissions_is_accessible_and_fits(person: OpenPerson, width: int) -> None:
    page = person(width)
    open_page(page, "/permisos")
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_role("button", name="Dar permisos").click()
    dialog = page.get_by_role("dialog")
    for summary in dialog.locator("summary").all():
        summary.click()
    dialog.get_by_label("Escribir Pedidos de venta").check()
    dialog.get_by_label("Rutas").fill("/vetnas/*\n/ventas/pedidos/*")
    expect(dialog.get_by_text("Una ruta no se conoce aquí")).to_be_visible()
    assert violations(page) == []
    assert dialog.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_pages_for_superusers_are_accessible(page: Page) -> None:
    open_page(page, "/devoluciones/preparacion")
    sign_in(page, "returns", ERP_USER, ERP_PASSWORD)
    expect(page.get_by_role("table", name="Definiciones")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_palette_is_accessible_and_fits(person: OpenPerson, width: int) -> None:
    page = person(width)
    open_page(page)
    page.get_by_role("button", name="Ir a…").click()
    expect(page.get_by_role("dialog").get_by_role("searchbox")).to_be_focused()
    assert violations(page) == []
    assert misfits(page) == []


@pytest.mark.parametrize("width", [WIDE, PHONE], ids=["wide", "phone"])
def test_pages_with_running_work_are_accessible(
    person: OpenPerson, control: Ask, formats: None, width: int
) -> None:
    page = person(width)
    open_page(page, "/informes/consulta/stock_por_bodega")
    sign_in(page, "gateway", "ana", "ana-demo")
    page.get_by_label("Bodega").select_option("06")
    page.get_by_role("button", name="Consultar").click()
    expect(page.get_by_role("table", name="Resultado")).to_be_visible()
    assert violations(page) == []
    delay = {"kind": "delay", "seconds": 90}
    fault = {"method": "POST", "path": "rs/v1/ExportPDFData", "action": delay, "times": None}
    control("POST", "/report-gateway/faults", fault)
    try:
        open_page(page, "/erp/Orders")
        page.get_by_role("button", name="Elegir todas").click()
        assert violations(page) == []
        page.get_by_role("button", name="Imprimir", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Un PDF con").click()
        expect(page.get_by_role("button", name="Cancelar el PDF")).to_be_visible()
        assert violations(page) == []
        open_page(page, "/trabajos")
        expect(page.get_by_text("En curso")).to_be_visible()
        assert violations(page) == []
        assert misfits(page) == []
        page.get_by_role("button", name="Cancelar").click()
        assert violations(page) == []
        page.get_by_role("dialog").get_by_role("button", name="Cancelar el trabajo").click()
        expect(page.get_by_text("No hay ninguno.")).to_be_visible()
    finally:
        control("DELETE", "/report-gateway/faults")


def test_empty_pages_name_the_next_step(page: Page, person: OpenPerson) -> None:
    beginner = person(WIDE)
    open_page(beginner, "/escrituras?resultado=unknown")
    sign_in(beginner, "gateway", "luis", "luis-demo")
    expect(beginner.get_by_text("Ninguna: no hay nada que aclarar.")).to_be_visible()
    open_page(beginner, "/trabajos")
    beginner.locator("main").get_by_role("link", name="Informes y consultas").click()
    expect(beginner.get_by_role("heading", name="Informes y consultas", level=1)).to_be_visible()
    open_page(page, "/auditoria?usuario=nadie-se-llama-asi")
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(page.get_by_text("Nada así está registrado. Quite alguna condición.")).to_be_visible()
    open_page(page, "/erp")
    page.get_by_label("Buscar").fill("xyzxyz")
    expect(page.get_by_text("Nada se llama así. Pruebe con menos letras.")).to_be_visible()
    open_page(page, "/informes/consulta/pedido")
    expect(page.get_by_text("Complete los datos y consulte: el resultado aparece aquí.")).to_be_visible()
    open_page(page, "/devoluciones?desde=2099-01-01")
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    page.get_by_text("Ninguna así.").get_by_role("link", name="Nueva devolución").click()
    expect(page.get_by_role("heading", name="Nueva devolución", level=1)).to_be_visible()


def test_a_state_is_always_a_badge(page: Page, scenery: Scenery) -> None:
    def badge(of: Locator, text: str) -> Locator:
        return of.locator(".badge", has_text=re.compile(f"^{text}$"))

    def list_orders(status: str) -> Locator:
        condition = {"name": "DocumentStatus", "operator": "eq", "value": status}
        open_page(page, f"/erp/Orders?{urlencode({'filtro': json.dumps([condition])})}")
        return page.get_by_role("table", name="Pedidos de venta").get_by_role("row")

    open_page(page, "/")
    sign_in(page, "gateway", "ana", "ana-demo")
    expect(badge(list_orders("bost_Open"), "Abierto").first).to_be_visible()
    expect(badge(list_orders("bost_Close"), "Cerrado").first).to_be_visible()
    open_page(page, f"/erp/Orders/{scenery.order}")
    expect(badge(page.locator("dl.pairs").first, "Abierto")).to_be_visible()
    expect(badge(page.get_by_role("table", name="Líneas"), "Abierto").first).to_be_visible()
    open_page(page, "/sistema")
    expect(badge(page.locator("dl.pairs").first, "Abierta")).to_be_visible()


def test_every_page_requires_a_sign_in(page: Page, scenery: Scenery) -> None:
    for path in scenery.pages().values():
        if path in ("/", "/nada"):
            continue
        open_page(page, path)
        expect(page.get_by_role("button", name="Entrar")).to_be_visible()


def test_a_clerk_sees_no_administration_and_is_refused_in_the_services_words(
    page: Page, program: Ask
) -> None:
    assert program("PUT", "/api/permissions/luis", {"paths": ["/ventas/pedidos", "/socios"]}).status == 200
    open_page(page)
    sign_in(page, "gateway", "luis", "luis-demo")
    expect(page.get_by_role("navigation", name="Principal")).not_to_contain_text("Permisos")
    for path in ("/permisos", "/sesiones", "/auditoria", "/sistema"):
        open_page(page, path)
        expect(page.get_by_role("alert")).to_contain_text("permission_denied")
    open_page(page, "/erp")
    expect(page.get_by_role("link", name="Pedidos de venta").first).to_be_visible()
    expect(page.get_by_role("link", name="Facturas de venta")).to_have_count(0)
    open_page(page, "/erp/Orders")
    resolve(page)
    expect(page.get_by_role("link", name="Crear")).to_have_count(0)
