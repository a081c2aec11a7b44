"""Customers who owe more than an amount, as a report."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from acme_erp.queries import CUSTOMER_BALANCES
from erp_gateway.extensions import (
    HtmlReport,
    ParameterInput,
    ReportColumn,
    ReportParameter,
    ReportTable,
    RunQuery,
)


async def build(run_query: RunQuery, values: Mapping[str, object]) -> Mapping[str, object]:
    """Return the names that the template may use."""
    result = await run_query(CUSTOMER_BALANCES.name, {"minimum": values["minimum"]})
    balances = [Decimal(str(row["balance"])) for row in result.rows]
    return {
        "minimum": values["minimum"],
        "rows": result.rows,
        "total": sum(balances, Decimal(0)),
        "truncated": result.truncated,
    }


REPORT = HtmlReport(
    code="balances",
    title="Saldos de clientes",
    parameters=(
        ReportParameter(
            name="minimum",
            type="xsd:decimal",
            required=True,
            label="Saldo mínimo",
            input=ParameterInput(kind="number", default="0"),
        ),
    ),
    folder=Path(__file__).with_name("templates"),
    template="balances.html",
    fixture="balances.json",
    data=build,
    tables=(
        ReportTable(
            name="rows",
            title="Saldos",
            columns=(
                ReportColumn(name="code", title="Código"),
                ReportColumn(name="name", title="Nombre"),
                ReportColumn(name="balance", title="Saldo"),
            ),
        ),
    ),
)
