"""The statement of account: what a customer owes, by age."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Final

from attrs import frozen

from comercial_demo import chilean
from comercial_demo.company import COMPANY
from comercial_demo.queries import CUSTOMER, OPEN_DOCUMENTS
from erp_gateway.extensions import (
    HtmlReport,
    NotFound,
    ParameterInput,
    ReportColumn,
    ReportParameter,
    ReportTable,
    RunQuery,
)

_AGES: Final = (
    (0, "Por vencer"),
    (30, "1 a 30 días"),
    (60, "31 a 60 días"),
    (90, "61 a 90 días"),
)
_OLDEST: Final = "Más de 90 días"


@frozen(kw_only=True)
class Age:
    """Open amounts of one age."""

    title: str
    amount: Decimal


async def build(run_query: RunQuery, values: Mapping[str, object]) -> Mapping[str, object]:
    """Return what `estado_de_cuenta.html` shows.

    Raises:
        NotFound: there is no such customer.
    """
    found = await run_query(CUSTOMER.name, {"cliente": values["cliente"]})
    if not found.rows:
        raise NotFound(f"No existe el cliente {values['cliente']}.")
    customer = found.rows[0]
    result = await run_query(OPEN_DOCUMENTS.name, {"cliente": customer["codigo"], "fecha": values["fecha"]})
    total = sum((chilean.exact(row["saldo"]) for row in result.rows), Decimal(0))
    return {
        "company": COMPANY,
        "titulo": f"Estado de cuenta de {customer['nombre']}",
        "es": chilean,
        "customer": customer,
        "day": values["fecha"],
        "documents": result.rows,
        "ages": _ages(result.rows),
        "total": total,
        "overdue": sum(
            (chilean.exact(row["saldo"]) for row in result.rows if chilean.exact(row["diasVencida"]) > 0),
            Decimal(0),
        ),
        "truncated": result.truncated,
    }


def _ages(rows: list[dict[str, object]]) -> list[Age]:
    amounts = dict.fromkeys((*(title for _, title in _AGES), _OLDEST), Decimal(0))
    for row in rows:
        days = chilean.exact(row["diasVencida"])
        title = next((title for limit, title in _AGES if days <= limit), _OLDEST)
        amounts[title] += chilean.exact(row["saldo"])
    return [Age(title=title, amount=amount) for title, amount in amounts.items()]


REPORT: Final = HtmlReport(
    code="estado_de_cuenta",
    title="Estado de cuenta",
    parameters=(
        ReportParameter(name="cliente", type="xsd:string", required=True, label="Código del cliente"),
        ReportParameter(
            name="fecha",
            type="xsd:date",
            required=True,
            label="A la fecha",
            input=ParameterInput(kind="date", default="hoy"),
        ),
    ),
    tables=(
        ReportTable(
            name="documents",
            title="Documentos abiertos",
            columns=(
                ReportColumn(name="documento", title="Documento"),
                ReportColumn(name="numero", title="Número"),
                ReportColumn(name="fecha", title="Fecha"),
                ReportColumn(name="vencimiento", title="Vencimiento"),
                ReportColumn(name="diasVencida", title="Días de atraso"),
                ReportColumn(name="total", title="Total"),
                ReportColumn(name="saldo", title="Saldo"),
            ),
        ),
    ),
    folder=Path(__file__).with_name("templates"),
    template="estado_de_cuenta.html",
    fixture="estado_de_cuenta.json",
    data=build,
)
