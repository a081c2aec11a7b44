"""The documents of the sample extension: what they are made of, and what stands on the printed pages."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

import pytest
import weasyprint  # type: ignore[import-untyped]  # it has no types
from comercial_demo import account_statement, order_layout, sales_report
from demo.pdf import PdfPage, read_pdf

from erp_gateway.extensions import HtmlReport, NotFound, QueryResult, Registries, RunQuery

YEAR = {"desde": date(2025, 1, 1), "hasta": date(2025, 12, 31)}
LETTER_MM = (216, 279)
ORDER = {
    "docEntry": 7, "numero": 100007, "fecha": "2025-12-01 00:00:00", "entrega": "2025-12-08 00:00:00",
    "cliente": "Ferretería <Ñuble> & Cía.", "rut": "78978551-1", "referencia": None, "comentarios": None,
    "estado": "O", "anulado": "N", "descuento": 0, "iva": 1900, "total": 11900, "giro": None,
    "telefono": None, "vendedor": None, "direccion": None, "ciudad": None,
}  # fmt: skip
LINE = {
    "codigo": "A1", "descripcion": "Perno", "cantidad": 2.5, "unidad": "KG", "precio": 4000,
    "descuento": 0, "total": 10000, "bodega": "01", "impuesto": 19,
}  # fmt: skip


def answering(answers: Mapping[str, list[dict[str, object]]], *, truncated: bool = False) -> RunQuery:
    """Return what answers each query with fixed rows."""

    async def run(name: str, params: Mapping[str, object]) -> QueryResult:
        rows = answers[name]
        return QueryResult(tuple(rows[0]) if rows else (), rows, truncated)

    return run


async def html_of(registries: Registries, report: HtmlReport, run: RunQuery, **values: object) -> str:
    """Return the document as the gateway renders it."""
    return registries.html_reports.template_of(report).render(await report.data(run, values))


def printed(html: str) -> list[PdfPage]:
    """Return the pages of the document."""
    content = weasyprint.HTML(string=html).write_pdf()
    assert isinstance(content, bytes)
    return read_pdf(content)


def sale(month: str, customer: str, net: object, invoices: int = 1) -> dict[str, object]:
    return {
        "mes": month,
        "cliente": customer,
        "nombre": f"Cliente {customer}",
        "facturas": invoices,
        "neto": net,
    }


@pytest.mark.asyncio
async def test_the_sales_report_groups_by_month_and_ranks_customers() -> None:
    rows = [sale("2025-01", "A", 100.5), sale("2025-01", "B", 700, 2), sale("2025-02", "A", Decimal("199.5"))]
    names = await sales_report.build(answering({"ventas_por_mes_y_cliente": rows}), YEAR)
    assert names["total"] == Decimal(1000)
    assert names["invoices"] == 4
    assert [(each.code, each.net, each.invoices) for each in names["months"]] == [  # type: ignore[attr-defined]
        ("2025-01", Decimal("800.5"), 3),
        ("2025-02", Decimal("199.5"), 1),
    ]
    ranked = [
        (each.rank, each.group.code, each.cumulated, each.of_class_a)
        for each in names["customers"]  # type: ignore[attr-defined]
    ]
    assert ranked == [(1, "B", 700, True), (2, "A", 1000, True)]


@pytest.mark.asyncio
async def test_customers_beyond_four_fifths_of_the_sales_are_not_marked() -> None:
    rows = [sale("2025-01", "A", 80), sale("2025-01", "B", 15), sale("2025-01", "C", 5)]
    names = await sales_report.build(answering({"ventas_por_mes_y_cliente": rows}), YEAR)
    assert [each.of_class_a for each in names["customers"]] == [True, False, False]  # type: ignore[attr-defined]


@pytest.mark.asyncio
async def test_a_period_without_sales_says_so(registries: Registries) -> None:
    html = await html_of(registries, sales_report.REPORT, answering({"ventas_por_mes_y_cliente": []}), **YEAR)
    assert "No hay ventas en este período." in html
    assert "<table" not in html


@pytest.mark.asyncio
async def test_a_report_that_lacks_sales_says_so(registries: Registries) -> None:
    rows = answering({"ventas_por_mes_y_cliente": [sale("2025-01", "A", 1)]}, truncated=True)
    assert "faltan ventas" in await html_of(registries, sales_report.REPORT, rows, **YEAR)


@pytest.mark.asyncio
async def test_a_sale_of_nothing_or_less_is_drawn(registries: Registries) -> None:
    rows = answering({"ventas_por_mes_y_cliente": [sale("2025-01", "A", 0), sale("2025-02", "B", -5)]})
    html = await html_of(registries, sales_report.REPORT, rows, **YEAR)
    assert "-5" in html


@pytest.mark.asyncio
async def test_the_printed_sales_report_repeats_its_heading_on_numbered_letter_pages(
    registries: Registries,
) -> None:
    rows = [sale(f"2025-{month:02}", f"C{n:03}", 1000 + n) for month in (1, 2, 3) for n in range(90)]
    html = await html_of(
        registries, sales_report.REPORT, answering({"ventas_por_mes_y_cliente": rows}), **YEAR
    )
    pages = printed(html)
    assert len(pages) == 4
    for number, page in enumerate(pages, 1):
        assert page.size_mm == LETTER_MM
        assert f"Página {number} de 4" in page.text
        assert "Acumulado" in page.text
    assert "marzo de 2025" in pages[0].text
    assert "Cliente C000" in pages[-1].text


@pytest.mark.asyncio
async def test_the_printed_order_shows_what_was_ordered_and_escapes_it(registries: Registries) -> None:
    run = answering({"pedido": [ORDER], "lineas_de_pedido": [LINE]})
    html = await html_of(registries, order_layout.REPORT, run, docEntry=Decimal(7))
    assert "&lt;Ñuble&gt; &amp; Cía." in html
    (page,) = printed(html)
    for text in (
        "N° 100007",
        "Ferretería <Ñuble> & Cía.",
        "78.978.551-1",
        "2,5",
        "$ 11.900",
        "1 de diciembre de 2025",
    ):
        assert text in page.text.replace("\N{NO-BREAK SPACE}", " ")
    assert "Dcto." not in page.text
    assert "ANULADO" not in page.text
    assert "Exento" not in page.text


@pytest.mark.asyncio
async def test_discounts_exempt_lines_and_cancellation_are_shown_where_there_are_some(
    registries: Registries,
) -> None:
    lines = [{**LINE, "descuento": 12.5}, {**LINE, "impuesto": 0, "total": 500}]
    order = {**ORDER, "anulado": "Y", "descuento": 300}
    run = answering({"pedido": [order], "lineas_de_pedido": lines})
    (page,) = printed(await html_of(registries, order_layout.REPORT, run, docEntry=Decimal(7)))
    assert "ANULADO" in page.text.replace(" ", "")  # its letters stand wide apart
    for text in ("Dcto.", "12,5", "Exento", "500", "Descuento"):
        assert text in page.text


@pytest.mark.asyncio
async def test_a_long_order_goes_on_under_a_repeated_heading(registries: Registries) -> None:
    run = answering({"pedido": [ORDER], "lineas_de_pedido": [LINE] * 60})
    pages = printed(await html_of(registries, order_layout.REPORT, run, docEntry=Decimal(7)))
    assert len(pages) == 3
    assert all("Descripción" in page.text for page in pages[:2])
    assert "Pedido de venta N° 100007" in pages[1].text
    assert "Recibí conforme" in pages[-1].text


@pytest.mark.asyncio
async def test_an_unknown_order_is_refused() -> None:
    run = answering({"pedido": [], "lineas_de_pedido": []})
    with pytest.raises(NotFound) as refused:
        await order_layout.build(run, {"docEntry": Decimal(5)})
    assert refused.value.detail == "No existe el pedido 5."


CUSTOMER: dict[str, object] = {
    "codigo": "C1", "nombre": "Ferretería <Ñuble> & Cía.", "rut": "78978551-1", "telefono": None,
    "correo": "pago@example.org", "saldo": 700,
}  # fmt: skip


def open_document(number: int, days: int, balance: object, kind: str = "Factura") -> dict[str, object]:
    return {
        "documento": kind,
        "docEntry": number,
        "numero": number,
        "fecha": "2025-12-01",
        "vencimiento": "2025-12-31",
        "diasVencida": days,
        "moneda": "CLP",
        "total": balance,
        "saldo": balance,
    }


@pytest.mark.asyncio
async def test_a_statement_of_account_adds_up_what_is_open_by_age(registries: Registries) -> None:
    rows = [
        open_document(1, 91, 100),
        open_document(2, 90, Decimal("50.5")),
        open_document(3, 31, 20),
        open_document(4, 30, 5),
        open_document(5, 1, -4, "Nota de crédito"),
        open_document(6, 0, 1000),
    ]
    run = answering({"cliente": [CUSTOMER], "documentos_abiertos": rows})
    values = {"cliente": "C1", "fecha": date(2025, 12, 31)}
    names = await account_statement.build(run, values)
    ages = names["ages"]
    assert [(age.title, age.amount) for age in ages] == [  # type: ignore[attr-defined]
        ("Por vencer", Decimal(1000)),
        ("1 a 30 días", Decimal(1)),
        ("31 a 60 días", Decimal(20)),
        ("61 a 90 días", Decimal("50.5")),
        ("Más de 90 días", Decimal(100)),
    ]
    assert (names["total"], names["overdue"]) == (Decimal("1171.5"), Decimal("171.5"))
    html = await html_of(registries, account_statement.REPORT, run, **values)
    assert "Ferretería &lt;Ñuble&gt; &amp; Cía." in html
    (page,) = printed(html)
    assert "Estado de cuenta" in page.text
    assert "Nota de crédito" in page.text


@pytest.mark.asyncio
async def test_a_statement_without_documents_or_customer_says_so(registries: Registries) -> None:
    run = answering({"cliente": [CUSTOMER], "documentos_abiertos": []})
    values = {"cliente": "C1", "fecha": date(2025, 12, 31)}
    assert "No hay documentos abiertos" in await html_of(registries, account_statement.REPORT, run, **values)
    with pytest.raises(NotFound) as refused:
        await account_statement.build(answering({"cliente": [], "documentos_abiertos": []}), values)
    assert refused.value.detail == "No existe el cliente C1."
