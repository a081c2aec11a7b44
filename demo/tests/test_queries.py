"""The queries of the sample extension, alike on both engines and right by the company's own numbers."""

from datetime import date
from decimal import Decimal

import pytest
from comercial_demo.chilean import exact
from comercial_demo.queries import QUERIES

from erp_gateway.extensions import Registries, RunQuery
from erpsim.business.stock import WAREHOUSES
from erpsim.company.rows.merging import rows_of
from erpsim.facts import load_packaged_facts
from erpsim.world import World

DAY = date(2025, 12, 20)


@pytest.fixture(scope="module")
def company() -> World:
    """The same company, not as tables."""
    return World(load_packaged_facts(), seed="small")


def test_every_query_has_a_text_for_both_engines(registries: Registries) -> None:
    for engine in ("hana", "sqlite"):
        assert len(registries.queries.statements(engine)) == len(QUERIES)


@pytest.mark.asyncio
async def test_the_warehouses_that_a_form_offers_are_those_of_the_company(
    run_query: RunQuery, company: World
) -> None:
    result = await run_query("bodegas", {})
    expected = {each["WarehouseCode"]: each["WarehouseName"] for each in company.company.rows("Warehouses")}
    assert {row["codigo"]: row["nombre"] for row in result.rows} == expected


@pytest.mark.asyncio
async def test_stock_is_what_the_items_say_of_the_warehouse(run_query: RunQuery, company: World) -> None:
    result = await run_query("stock_por_bodega", {"bodega": "02"})
    expected = {
        item["ItemCode"]: info["InStock"]
        for item in company.company.rows("Items")
        for info in rows_of(item, WAREHOUSES)
        if info["WarehouseCode"] == "02" and info["InStock"]
    }
    assert {row["codigo"]: exact(row["fisico"]) for row in result.rows} == expected
    assert expected
    assert [row["codigo"] for row in result.rows] == sorted(map(str, expected))


@pytest.mark.asyncio
async def test_overdue_invoices_are_open_late_and_counted_in_days(
    run_query: RunQuery, company: World
) -> None:
    result = await run_query("facturas_vencidas", {"fecha": DAY.isoformat()})
    expected = {
        invoice["DocEntry"]
        for invoice in company.company.rows("Invoices")
        if invoice["DocumentStatus"] == "bost_Open" and str(invoice["DocDueDate"]) < DAY.isoformat()
    }
    assert {row["docEntry"] for row in result.rows} == expected
    assert expected
    for row in result.rows:
        assert row["diasVencida"] == (DAY - date.fromisoformat(str(row["vencimiento"]))).days
        assert 0 < exact(row["saldo"]) <= exact(row["total"])


@pytest.mark.asyncio
async def test_sales_add_up_to_the_lines_of_the_invoices_of_the_period(
    run_query: RunQuery, company: World
) -> None:
    """The last day of the period belongs to it."""
    period = {"desde": "2025-11-10", "hasta": "2025-12-19"}
    result = await run_query("ventas_por_mes_y_cliente", period)
    invoices = [
        invoice
        for invoice in company.company.rows("Invoices")
        if period["desde"] <= str(invoice["DocDate"]) <= period["hasta"] and invoice["Cancelled"] == "tNO"
    ]
    assert any(invoice["DocDate"] == period["hasta"] for invoice in invoices)
    total = sum(
        (exact(line["LineTotal"]) for invoice in invoices for line in rows_of(invoice, "DocumentLines")),
        Decimal(0),
    )
    assert sum((exact(row["neto"]) for row in result.rows), Decimal(0)) == total
    assert sum(int(exact(row["facturas"])) for row in result.rows) == len(invoices)
    assert {row["mes"] for row in result.rows} == {"2025-11", "2025-12"}


@pytest.mark.asyncio
async def test_an_order_is_found_by_its_number_inside_and_no_other(run_query: RunQuery) -> None:
    found = await run_query("pedido", {"docEntry": 3})
    (order,) = found.rows
    lines = (await run_query("lineas_de_pedido", {"docEntry": Decimal(3)})).rows
    assert order["docEntry"] == 3
    assert exact(order["total"]) - exact(order["iva"]) == sum(exact(line["total"]) for line in lines)
    assert (await run_query("pedido", {"docEntry": 999_999})).rows == []


@pytest.mark.asyncio
async def test_open_documents_are_those_of_the_customer_with_what_is_unpaid(
    run_query: RunQuery, company: World
) -> None:
    open_invoices = [
        invoice for invoice in company.company.rows("Invoices") if invoice["DocumentStatus"] == "bost_Open"
    ]
    customer = str(open_invoices[0]["CardCode"])
    expected = {
        invoice["DocEntry"]: exact(invoice["DocTotal"]) - exact(invoice.get("PaidToDate") or 0)
        for invoice in open_invoices
        if invoice["CardCode"] == customer and str(invoice["DocDate"]) <= DAY.isoformat()
    }
    result = await run_query("documentos_abiertos", {"cliente": customer, "fecha": DAY.isoformat()})
    assert {row["docEntry"]: exact(row["saldo"]) for row in result.rows} == expected
    assert expected
    dues = [row["vencimiento"] for row in result.rows]
    assert dues == sorted(map(str, dues))
    (found,) = (await run_query("cliente", {"cliente": customer})).rows
    assert found["codigo"] == customer
