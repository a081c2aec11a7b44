"""The sales report: what was invoiced in a period, by month and by customer."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final

from attrs import frozen

from comercial_demo import chilean
from comercial_demo.chart import bar_chart
from comercial_demo.company import COMPANY
from comercial_demo.queries import SALES_BY_MONTH_AND_CUSTOMER
from erp_gateway.extensions import (
    HtmlReport,
    ParameterInput,
    ReportColumn,
    ReportParameter,
    ReportTable,
    RunQuery,
)

_A_SHARE: Final = Decimal("0.8")
"""Customers who together make this share of the sales are of class A."""


@frozen(kw_only=True)
class Group:
    """Sales of a month or of a customer."""

    name: str
    code: str
    invoices: int
    net: Decimal


@frozen(kw_only=True)
class Customer:
    """A line of the customers' table.

    Attributes:
        rank: 1 for the best.
        group: the sales.
        cumulated: sales of this customer and all better ones.
        of_class_a: whether the customer belongs to those who together make four fifths of the sales.
        bar_percent: length of the bar, 100 for the best customer.
    """

    rank: int
    group: Group
    cumulated: Decimal
    of_class_a: bool
    bar_percent: float


async def build(run_query: RunQuery, values: Mapping[str, object]) -> Mapping[str, object]:
    """Return what `ventas.html` shows."""
    period = {"desde": values["desde"], "hasta": values["hasta"]}
    result = await run_query(SALES_BY_MONTH_AND_CUSTOMER.name, period)
    months = _grouped(result.rows, code="mes", name="mes")
    customers = sorted(
        _grouped(result.rows, code="cliente", name="nombre"), key=lambda each: (-each.net, each.code)
    )
    total = sum((each.net for each in months), Decimal(0))
    return {
        "company": COMPANY,
        "titulo": REPORT.title,
        "periodo": f"Del {chilean.day(values['desde'])} al {chilean.day(values['hasta'])}",
        "es": chilean,
        "since": values["desde"],
        "until": values["hasta"],
        "months": months,
        "customers": _ranked(customers, total),
        "total": total,
        "invoices": sum(each.invoices for each in months),
        "chart": bar_chart([(chilean.month(each.code, short=True), each.net) for each in months]),
        "truncated": result.truncated,
        "meses": [_month(each) for each in months],
        "clientes": [_customer(each) for each in customers],
    }


def _month(month: Group) -> dict[str, object]:
    """Return a month as a row of a file: its first day, because spreadsheets know days and no months."""
    return {"mes": date.fromisoformat(f"{month.code}-01"), "facturas": month.invoices, "neto": month.net}


def _customer(customer: Group) -> dict[str, object]:
    return {
        "codigo": customer.code,
        "nombre": customer.name,
        "facturas": customer.invoices,
        "neto": customer.net,
    }


def _grouped(rows: list[dict[str, object]], *, code: str, name: str) -> list[Group]:
    """Add up the rows that share a code, in the order in which the codes first appear."""
    groups: dict[str, Group] = {}
    for row in rows:
        key = str(row[code])
        before = groups.get(key)
        groups[key] = Group(
            code=key,
            name=str(row[name]),
            invoices=int(chilean.exact(row["facturas"])) + (before.invoices if before else 0),
            net=chilean.exact(row["neto"]) + (before.net if before else 0),
        )
    return list(groups.values())


def _ranked(customers: list[Group], total: Decimal) -> list[Customer]:
    ranked: list[Customer] = []
    best = max((group.net for group in customers), default=Decimal(0))
    cumulated = Decimal(0)
    for rank, group in enumerate(customers, 1):
        of_class_a = cumulated < total * _A_SHARE
        cumulated += group.net
        bar = round(max(0.0, float(group.net / best)) * 100, 1) if best > 0 else 0.0
        ranked.append(
            Customer(rank=rank, group=group, cumulated=cumulated, of_class_a=of_class_a, bar_percent=bar)
        )
    return ranked


REPORT: Final = HtmlReport(
    code="ventas",
    title="Informe de ventas",
    parameters=(
        ReportParameter(
            name="desde",
            type="xsd:date",
            required=True,
            label="Desde",
            input=ParameterInput(kind="date", default="inicio_ano"),
        ),
        ReportParameter(
            name="hasta",
            type="xsd:date",
            required=True,
            label="Hasta",
            input=ParameterInput(kind="date", default="hoy", not_before="desde"),
        ),
    ),
    tables=(
        ReportTable(
            name="meses",
            title="Ventas por mes",
            columns=(
                ReportColumn(name="mes", title="Mes"),
                ReportColumn(name="facturas", title="Facturas"),
                ReportColumn(name="neto", title="Neto"),
            ),
        ),
        ReportTable(
            name="clientes",
            title="Ventas por cliente",
            columns=(
                ReportColumn(name="codigo", title="Código"),
                ReportColumn(name="nombre", title="Cliente"),
                ReportColumn(name="facturas", title="Facturas"),
                ReportColumn(name="neto", title="Neto"),
            ),
        ),
    ),
    folder=Path(__file__).with_name("templates"),
    template="ventas.html",
    fixture="ventas.json",
    data=build,
)
