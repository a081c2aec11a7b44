"""Reports and queries: forms made from their parameters, and what comes of them."""

from collections.abc import Callable

import pytest
from demo.pdf import read_pdf
from playwright.sync_api import Page, expect
from tools.browser.people import open_page, sign_in
from tools.stack.exchange import Answer

Ask = Callable[..., Answer]
STOCK = "RCRI0002"


@pytest.fixture
def office(page: Page) -> Page:
    """An administrator on the list of reports."""
    open_page(page, "/informes")
    sign_in(page, "gateway", "ana", "ana-demo")
    return page


def test_a_report_is_made_and_kept_by_the_keyboard(office: Page) -> None:
    office.get_by_role("link", name="Informe de ventas").press("Enter")
    office.get_by_label("Desde").fill("2025-01-01")
    office.get_by_label("Hasta").fill("2025-12-31")
    office.get_by_label("Hasta").press("Enter")
    with office.expect_download() as kept:
        office.get_by_role("link", name="Descargar").press("Enter")
    assert kept.value.path().read_bytes().startswith(b"%PDF-")
    assert kept.value.suggested_filename == "Informe de ventas.pdf"


def test_what_is_missing_is_told_at_its_field_or_by_its_name(office: Page) -> None:
    office.get_by_role("link", name="Informe de ventas").click()
    office.get_by_role("button", name="Hacer el PDF").click()
    expect(office.get_by_role("alert")).to_contain_text("desde")
    expect(office.get_by_label("Desde")).to_have_attribute("aria-invalid", "true")


def test_a_query_shows_its_rows(office: Page) -> None:
    office.get_by_role("link", name="Encabezado de un pedido de venta").click()
    office.get_by_label("docEntry").fill("1")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_role("table", name="Resultado").get_by_role("row")).to_have_count(2)
    office.get_by_label("docEntry").fill("no es número")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_role("alert")).to_contain_text("docEntry")


@pytest.fixture
def stock_report(program: Ask) -> None:
    """Register a report of the ERP's report gateway, with the parameters that it suggests."""
    path = f"/api/gateway/authorized/{STOCK}/parameters"
    parameters = program("GET", path).body["parameters"]
    definition = {"title": "Existencias por bodega", "enabled": True, "parameters": parameters}
    assert program("PUT", f"/api/gateway/registry/{STOCK}", definition).status == 200


def test_a_report_of_the_erp_is_made_from_its_parameters(office: Page, stock_report: None) -> None:
    office.reload()
    office.get_by_role("link", name="Existencias por bodega").click()
    form = office.locator("form.panel")
    form.get_by_label("Cantidad mínima").fill("300")
    form.get_by_label("Bodega").fill("06")
    form.get_by_label("Fecha de corte").fill("2025-12-30")
    form.get_by_role("button", name="Hacer el PDF").click()
    with office.expect_download() as kept:
        office.get_by_role("link", name="Descargar").click()
    text = read_pdf(kept.value.path().read_bytes())[0].text
    assert "Existencias por bodega" in text
    assert "30-12-2025" in text
