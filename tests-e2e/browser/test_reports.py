"""Reports and queries: forms made from their parameters, and what comes of them."""

import re
from collections.abc import Callable, Iterator

import pytest
from demo.pdf import read_pdf
from playwright.sync_api import Page, Route, expect
from stack.exchange import Answer
from tools.browser.accessibility import violations
from tools.browser.fitting import misfits
from tools.browser.launching import PHONE, WIDE
from tools.browser.people import open_page, sign_in

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


def test_missing_values_are_reported_at_their_field_before_sending(office: Page) -> None:
    office.get_by_role("link", name="Informe de ventas").click()
    office.get_by_label("Desde").fill("")
    sent: list[str] = []
    office.on("request", lambda each: sent.append(each.url))
    office.get_by_role("button", name="Hacer el PDF").click()
    expect(office.get_by_label("Desde")).to_have_attribute("aria-invalid", "true")
    expect(office.get_by_label("Desde")).to_be_focused()
    expect(office.locator(".fault")).to_have_text("Falta este dato.")
    assert sent == []
    office.get_by_label("Desde").fill("2026-01-01")
    expect(office.locator(".fault")).to_have_count(0)


def test_a_report_is_made_of_the_days_that_its_form_begins_with(office: Page) -> None:
    office.get_by_role("link", name="Informe de ventas").click()
    expect(office.get_by_label("Desde")).to_have_value(re.compile(r"\d{4}-01-01"))
    expect(office.get_by_label("Hasta")).to_have_value(re.compile(r"\d{4}-\d\d-\d\d"))
    office.get_by_role("button", name="Hacer el PDF").click()
    expect(office.get_by_role("link", name="Descargar")).to_be_visible()


def test_a_query_shows_its_rows(office: Page) -> None:
    office.get_by_role("link", name="Encabezado de un pedido de venta").click()
    office.get_by_role("textbox", name="Número interno").fill("1")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_role("table", name="Resultado").get_by_role("row")).to_have_count(2)
    office.get_by_role("textbox", name="Número interno").fill("no es número")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_role("alert")).to_contain_text("Corrija los datos marcados.")
    expect(office.locator(".fault")).to_have_text("Escriba un número.")


def test_a_query_is_headed_by_its_own_titles(office: Page) -> None:
    open_page(office, "/informes/consulta/bodegas")
    office.get_by_role("button", name="Consultar").click()
    heads = office.get_by_role("table", name="Resultado").get_by_role("columnheader")
    expect(heads.filter(has_text="Código")).to_have_count(1)
    expect(heads.filter(has_text="Nombre")).to_have_count(1)


def test_the_address_contains_the_parameters(office: Page) -> None:
    office.get_by_role("link", name="Informe de ventas").click()
    office.get_by_label("Desde").fill("2025-01-01")
    office.get_by_label("Hasta").fill("2025-06-30")
    office.get_by_role("button", name="Ver en pantalla").click()
    expect(office).to_have_url(re.compile(r"#/informes/html/ventas\?\S*2025-01-01\S*2025-06-30"))
    other = office.context.new_page()
    other.goto(office.url)
    expect(other.get_by_label("Desde")).to_have_value("2025-01-01")
    expect(other.get_by_label("Hasta")).to_have_value("2025-06-30")
    open_page(office, "/informes/html/ventas")
    expect(office.get_by_label("Hasta")).not_to_have_value("2025-06-30")


def test_a_report_is_shown_on_the_screen_in_a_frame_of_no_origin(office: Page) -> None:
    office.get_by_role("link", name="Informe de ventas").click()
    office.get_by_label("Desde").fill("2025-01-01")
    office.get_by_label("Hasta").fill("2025-12-31")
    office.get_by_role("button", name="Ver en pantalla").click()
    sheet = office.frame_locator("iframe.sheet")
    expect(sheet.locator("body")).to_contain_text("Emitido el")
    style = "body => [getComputedStyle(body).fontFamily, self.origin]"
    family, origin = sheet.locator("body").evaluate(style)
    assert "Times" not in family
    assert origin == "null"
    expect(office.locator("iframe.sheet")).to_have_attribute("sandbox", "allow-scripts")


def test_a_query_form_has_its_defaults_and_choices_of_another_query(office: Page) -> None:
    office.get_by_role("link", name="Facturas vencidas a una fecha").click()
    expect(office.get_by_label("A la fecha")).to_have_value(re.compile(r"20\d\d-\d\d-\d\d"))
    open_page(office, "/informes/consulta/stock_por_bodega")
    warehouse = office.get_by_label("Bodega")
    expect(warehouse.locator("option[value='06']")).to_have_count(1)
    warehouse.select_option("06")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_role("table", name="Resultado").get_by_role("row").nth(1)).to_be_visible()


def test_a_number_below_its_bound_is_reported_at_its_field(office: Page) -> None:
    office.get_by_role("link", name="Encabezado de un pedido de venta").click()
    expect(office.get_by_text("Desde 1.")).to_be_visible()
    office.get_by_label("Número interno").fill("0")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_label("Número interno")).to_have_attribute("aria-invalid", "true")
    expect(office.locator(".fault")).to_have_text("Debe ser al menos 1.")


def test_the_pages_of_a_query_are_turned_to_the_last_row(office: Page) -> None:
    open_page(office, "/informes/consulta/stock_por_bodega")
    office.get_by_role("combobox", name="Bodega").select_option("01")
    office.get_by_role("button", name="Consultar").click()
    first_page = office.get_by_role("heading", name=re.compile(r"^500 de [\d.]+ filas$"))
    expect(first_page).to_be_visible()
    total = int(re.sub(r"\D", "", first_page.inner_text().split(" de ")[1]))
    first = office.locator("tbody th").first.text_content() or ""
    expect(office.get_by_text("ponga condiciones más estrechas")).to_have_count(0)
    office.get_by_role("combobox", name="Bodega").select_option("06")  # changes nothing of what was asked
    onwards = office.get_by_role("button", name="Siguiente")
    observed = [first]
    for page in range(2, 100):
        onwards.press("Enter")
        expect(
            office.get_by_role("heading", name=f"Filas {500 * (page - 1) + 1:,}".replace(",", "."))
        ).to_be_visible()
        observed.append(office.locator("tbody th").first.text_content() or "")  # out of sight, and so undrawn
        if 500 * page >= total:
            break
    assert observed == sorted(set(observed))
    assert len(observed) > 1
    expect(onwards).to_be_focused()
    expect(onwards).to_have_attribute("aria-disabled", "true")
    onwards.press("Enter")
    office.get_by_role("button", name="Anterior").click()
    for _ in observed[2:]:
        office.get_by_role("button", name="Anterior").click()
    expect(first_page).to_be_visible()
    assert office.locator("tbody th").first.text_content() == first


def test_rows_of_a_part_are_counted_once_and_the_file_has_all(office: Page, program: Ask) -> None:
    counts: list[str] = []
    office.on("request", lambda each: counts.append(each.url) if each.url.endswith("/count") else None)
    open_page(office, "/informes/consulta/stock_por_bodega")
    office.get_by_role("combobox", name="Bodega").select_option("01")
    office.get_by_role("button", name="Consultar").click()
    part = office.get_by_role("heading", name=re.compile(r"^500 de [\d.]+ filas$"))
    expect(part).to_be_visible()
    total = int(re.sub(r"\D", "", part.inner_text().split(" de ")[1]))
    office.get_by_role("button", name="Siguiente").click()
    expect(office.get_by_role("heading", name="Filas 501 a")).to_contain_text(
        f"de {total:,}".replace(",", ".")
    )
    assert len(counts) == 1
    with office.expect_download() as kept:
        office.get_by_role("button", name="Descargar en CSV").click()
    assert len(kept.value.path().read_bytes().decode("utf-8-sig").splitlines()) == total + 1
    open_page(office, "/informes/consulta/bodegas")
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_role("table", name="Resultado")).to_be_visible()
    assert len(counts) == 1  # all its rows are there


def run_sales(page: Page) -> None:
    """Run the query that declares a chart, over two years."""
    open_page(page, "/informes/consulta/ventas_por_mes_y_cliente")
    page.get_by_label("Desde").fill("2024-01-01")
    page.get_by_role("button", name="Consultar").click()
    expect(page.get_by_role("table", name="Resultado")).to_be_visible()


def test_a_customer_in_a_row_opens_the_customer(office: Page) -> None:
    run_sales(office)
    customer = office.get_by_role("table", name="Resultado").get_by_role("link").first
    code = customer.inner_text()
    customer.click()
    expect(office).to_have_url(re.compile(rf"#/erp/BusinessPartners/{code}$"))
    expect(office.get_by_role("heading", level=1)).to_be_visible()


def test_values_do_not_lead_where_the_person_may_not_read(person: Callable[..., Page], program: Ask) -> None:
    program("PUT", "/api/permissions/luis", {"paths": ["/ventas/informes"]})
    page = person()
    open_page(page, "/informes")
    sign_in(page, "gateway", "luis", "luis-demo")
    run_sales(page)
    expect(page.get_by_role("table", name="Resultado").get_by_role("link")).to_have_count(0)


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_a_declared_chart_is_drawn_above_its_table(person: Callable[..., Page], width: int) -> None:
    page = person(width)
    open_page(page, "/informes")
    sign_in(page, "gateway", "ana", "ana-demo")
    run_sales(page)
    chart = page.get_by_role("img", name=re.compile(r"^Neto por Mes.*tabla\.$"))
    expect(chart).to_be_visible()
    assert chart.locator("rect").count() > 3
    box, table = chart.bounding_box(), page.get_by_role("table", name="Resultado").bounding_box()
    assert box
    assert table
    assert box["y"] + box["height"] <= table["y"]
    assert box["width"] <= width
    assert chart.evaluate(
        "svg => [...svg.querySelectorAll('rect')].every(rect => rect.getBBox().height >= 0)"
    )
    assert violations(page) == []
    assert misfits(page) == []


def test_parameters_are_in_a_row_above_and_results_across_the_page(office: Page) -> None:
    run_sales(office)
    first, last = office.get_by_label("Desde").bounding_box(), office.get_by_label("Hasta").bounding_box()
    button = office.get_by_role("button", name="Consultar").bounding_box()
    result = office.get_by_role("region", name="Lo que resultó").bounding_box()
    page = office.locator("main .inner").bounding_box()
    assert first
    assert last
    assert button
    assert result
    assert page
    assert first["y"] == last["y"]
    assert abs(button["y"] + button["height"] - first["y"] - first["height"]) <= 2
    assert result["width"] == page["width"]
    assert result["y"] > first["y"]


def test_a_query_that_takes_long_says_what_for_and_is_given_up(office: Page) -> None:
    open_page(office, "/informes/consulta/bodegas")
    office.route("**/api/erpdb/queries/bodegas", lambda _: None)  # no answer comes
    office.get_by_role("button", name="Consultar").click()
    expect(office.get_by_text("Consultando «Bodegas»…")).to_be_visible()
    expect(office.get_by_text("Tarda más que de costumbre.")).to_be_visible()
    office.get_by_role("button", name="Cancelar").click()
    expect(office.get_by_text("Consultando «Bodegas»…")).to_have_count(0)
    expect(office.get_by_role("alert")).to_have_count(0)
    expect(office.get_by_role("button", name="Consultar")).to_be_enabled()


@pytest.fixture
def stock_report(register: Callable[..., None]) -> None:
    """A report of the ERP's report gateway."""
    register(STOCK, title="Existencias por bodega")


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


def test_a_query_is_kept_as_a_file_with_the_same_values(office: Page) -> None:
    office.get_by_role("link", name="Encabezado de un pedido de venta").click()
    office.get_by_label("Número interno").fill("1")
    with office.expect_download() as kept:
        office.get_by_role("button", name="Descargar en CSV").click()
    lines = kept.value.path().read_bytes().decode("utf-8-sig").splitlines()
    assert lines[0].startswith("Número interno;Número;")
    assert lines[1].startswith("1;")
    assert kept.value.suggested_filename.startswith("Encabezado de un pedido de venta 20")
    with office.expect_download() as kept:
        office.get_by_role("button", name="Descargar en Excel").click()
    assert kept.value.path().read_bytes().startswith(b"PK")


def test_the_tables_of_a_report_are_kept_as_files(office: Page) -> None:
    office.get_by_role("link", name="Informe de ventas").click()
    office.get_by_label("Desde").fill("2025-01-01")
    office.get_by_label("Hasta").fill("2025-12-31")
    with office.expect_download() as kept:
        office.get_by_role("button", name="CSV: Ventas por mes").click()
    lines = kept.value.path().read_bytes().decode("utf-8-sig").splitlines()
    assert lines[0] == "Mes;Facturas;Neto"
    assert lines[1].startswith("2025-01-01;")
    assert kept.value.suggested_filename.startswith("Informe de ventas - Ventas por mes 20")
    with office.expect_download() as kept:
        office.get_by_role("button", name="Descargar en Excel").click()
    assert kept.value.suggested_filename.endswith(".xlsx")


def test_a_refused_export_says_why_and_marks_the_field(office: Page) -> None:
    office.get_by_role("link", name="Encabezado de un pedido de venta").click()
    office.get_by_role("button", name="Descargar en Excel").click()
    expect(office.get_by_role("alert")).not_to_contain_text("Número interno")
    expect(office.get_by_label("Número interno")).to_have_attribute("aria-invalid", "true")


def kept_paper(page: Page) -> str:
    """Return the text of the first page of the PDF that is shown, by keeping it."""
    with page.expect_download() as kept:
        page.get_by_role("link", name="Descargar").click()
    return read_pdf(kept.value.path().read_bytes())[0].text


def test_an_order_is_printed_from_its_page_in_the_default_format_and_in_another(
    office: Page, formats: None, program: Ask, order: int
) -> None:
    number = program("GET", f"/api/sl/Orders/{order}?$select=DocNum").body["DocNum"]
    open_page(office, f"/erp/Orders/{order}")
    office.get_by_role("button", name="Imprimir").click()
    paper = office.get_by_role("dialog", name=f"Imprimir: Pedido de venta {number}")
    expect(paper.get_by_label("Formato")).to_have_value("RDR20002")
    assert str(number) in kept_paper(office)
    paper.get_by_label("Formato").select_option("Pedido")
    kept = re.compile(r"^Pedido de venta \d+\.pdf$")
    expect(paper.get_by_role("link", name="Descargar")).to_have_attribute("download", kept)
    assert str(number) in kept_paper(office)


def test_the_report_gateways_text_is_shown_next_to_the_format(
    office: Page, formats: None, program: Ask, order: int
) -> None:
    open_page(office, f"/erp/Orders/{order}")
    expect(office.get_by_role("button", name="Imprimir")).to_be_visible()
    program("DELETE", "/api/gateway/registry/RDR20002")
    office.get_by_role("button", name="Imprimir").click()
    expect(office.get_by_role("dialog").get_by_role("alert")).to_contain_text("report_not_found")
    office.get_by_label("Formato").select_option("Pedido")
    expect(office.get_by_role("link", name="Descargar")).to_be_visible()


def test_a_record_without_formats_offers_no_paper(office: Page, order: int) -> None:
    open_page(office, f"/erp/Orders/{order}")
    expect(office.get_by_role("button", name="Cambiar")).to_be_visible()
    expect(office.get_by_role("button", name="Imprimir")).to_have_count(0)


EXPORT, REPORT_FAULTS = "rs/v1/ExportPDFData", "/report-gateway/faults"


@pytest.fixture
def slow_prints(control: Ask) -> Iterator[Callable[[float], None]]:
    """Let the report gateway take its time over each document."""

    def slowed(seconds: float) -> None:
        control("DELETE", REPORT_FAULTS)
        action = {"kind": "delay", "seconds": seconds}
        control("POST", REPORT_FAULTS, {"method": "POST", "path": EXPORT, "action": action, "times": None})

    yield slowed
    control("DELETE", REPORT_FAULTS)


def several(office: Page, how_many: int) -> None:
    """Open the choice of several orders of the list, and leave so many of them chosen."""
    open_page(office, "/erp/Orders")
    boxes = office.get_by_role("checkbox", name=re.compile(r"^Elegir \d"))
    for at in range(how_many):
        boxes.nth(at).check()
    office.get_by_role("button", name="Imprimir", exact=True).click()


def test_several_orders_become_one_pdf_with_progress(
    office: Page, formats: None, slow_prints: Callable[[float], None]
) -> None:
    several(office, 3)
    slow_prints(1.0)
    numbers = [text.split(" · ")[0] for text in office.locator("dialog li").all_inner_texts()]
    office.get_by_role("button", name="Un PDF con 3 documentos").click()
    expect(office.get_by_text("de 3 documentos…")).to_be_visible()
    with office.expect_download() as kept:
        office.get_by_role("link", name="Descargar").click()
    pages = read_pdf(kept.value.path().read_bytes())
    texts = [page.text for page in pages]
    places = [next(at for at, text in enumerate(texts) if number in text) for number in numbers]
    assert places == sorted(places)
    assert len(set(places)) == 3


def test_a_pdf_is_given_up_at_the_service_too(
    office: Page, formats: None, slow_prints: Callable[[float], None]
) -> None:
    several(office, 2)
    slow_prints(60.0)
    office.get_by_role("button", name="Un PDF con 2 documentos").click()
    expect(office.get_by_text("Hechos 0 de 2 documentos…")).to_be_visible()
    office.get_by_role("button", name="Cancelar el PDF").click()
    expect(office.get_by_text("Se canceló; no quedó ningún documento.")).to_be_visible()
    expect(office.get_by_role("button", name="Un PDF con 2 documentos")).to_be_enabled()
    open_page(office, "/trabajos")
    expect(office.get_by_text("No hay ninguno.")).to_be_visible()


class _Streams:
    """The line to the events of a job: cut so many times, counted."""

    def __init__(self, cut: int, body: str = "") -> None:
        self.asked = 0
        self._cut = cut
        self._body = body

    def answer(self, route: Route) -> None:
        if "text/event-stream" not in route.request.headers.get("accept", ""):
            route.continue_()
            return
        self.asked += 1
        if self.asked <= self._cut:
            route.fulfill(content_type="text/event-stream", body=self._body)
        else:
            route.continue_()


@pytest.mark.parametrize(
    "end", ["", 'event: error\ndata: {"code": "session_expired", "detail": "Terminó."}\n\n']
)
def test_a_stream_that_breaks_off_or_ends_with_its_session_is_listened_to_again(
    office: Page, formats: None, slow_prints: Callable[[float], None], end: str
) -> None:
    several(office, 2)
    slow_prints(3.0)
    streams = _Streams(2, end)
    office.route("**/api/jobs/*", streams.answer)
    office.get_by_role("button", name="Un PDF con 2 documentos").click()
    with office.expect_download() as kept:
        office.get_by_role("link", name="Descargar").click()
    assert len(read_pdf(kept.value.path().read_bytes())) >= 2
    assert streams.asked == 3


def test_after_a_lost_connection_the_pdf_is_among_the_jobs(
    office: Page, formats: None, slow_prints: Callable[[float], None]
) -> None:
    several(office, 2)
    slow_prints(3.0)
    streams = _Streams(cut=100)
    office.route("**/api/jobs/*", streams.answer)
    office.get_by_role("button", name="Un PDF con 2 documentos").click()
    expect(office.get_by_text("Se perdió la conexión.")).to_be_visible(timeout=20_000)
    assert streams.asked == 6
    open_page(office, "/trabajos")
    jobs = office.get_by_role("table", name="Trabajos")
    expect(jobs.get_by_text("Listo")).to_be_visible(timeout=20_000)
    jobs.get_by_role("button", name="Quitar").click()
    expect(office.get_by_text("No hay ninguno.")).to_be_visible()


def test_a_pdf_does_not_open_on_another_page(
    office: Page, formats: None, slow_prints: Callable[[float], None]
) -> None:
    several(office, 2)
    slow_prints(1.0)
    office.get_by_role("button", name="Un PDF con 2 documentos").click()
    expect(office.get_by_text("de 2 documentos…")).to_be_visible()
    office.get_by_role("dialog").get_by_role("link", name="Trabajos").click()
    jobs = office.get_by_role("table", name="Trabajos")
    expect(jobs.get_by_text("En curso")).to_be_visible()
    expect(jobs.get_by_text("Listo")).to_be_visible()
    office.get_by_role("button", name="Leer de nuevo").click()
    with office.expect_download():
        jobs.get_by_role("button", name="Descargar").click()
    jobs.get_by_role("button", name="Quitar").click()
    expect(office.get_by_text("No hay ninguno.")).to_be_visible()


def test_after_leaving_the_page_the_pdf_is_among_the_jobs(
    office: Page, formats: None, slow_prints: Callable[[float], None]
) -> None:
    several(office, 2)
    slow_prints(3.0)
    office.get_by_role("button", name="Un PDF con 2 documentos").click()
    expect(office.get_by_text("de 2 documentos…")).to_be_visible()
    open_page(office, "/trabajos")
    jobs = office.get_by_role("table", name="Trabajos")
    expect(jobs.get_by_text("En curso")).to_be_visible()
    expect(jobs.get_by_text("Listo")).to_be_visible()
    with office.expect_download() as kept:
        jobs.get_by_role("button", name="Descargar").click()
    assert len(read_pdf(kept.value.path().read_bytes())) >= 2
    jobs.get_by_role("button", name="Quitar").click()
    expect(office.get_by_text("No hay ninguno.")).to_be_visible()


def test_a_pdf_stops_with_its_session_and_the_jobs_say_so(
    office: Page, formats: None, slow_prints: Callable[[float], None], program: Ask
) -> None:
    several(office, 2)
    slow_prints(3.0)
    deleted: list[str] = []
    office.on("request", lambda each: deleted.append(each.url) if each.method == "DELETE" else None)
    office.get_by_role("button", name="Un PDF con 2 documentos").click()
    expect(office.get_by_text("de 2 documentos…")).to_be_visible()
    assert program("DELETE", "/api/sessions/ana").status == 204
    office.get_by_role("dialog", name="Vuelva a entrar").get_by_role("button", name="Ahora no").click()
    expect(office.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    assert deleted == []
    open_page(office, "/trabajos")
    sign_in(office, "gateway", "ana", "ana-demo")
    jobs = office.get_by_role("table", name="Trabajos")
    expect(jobs.get_by_text("Su sesión terminó.")).to_be_visible()
    jobs.get_by_role("button", name="Quitar").click()
    expect(office.get_by_text("No hay ninguno.")).to_be_visible()
