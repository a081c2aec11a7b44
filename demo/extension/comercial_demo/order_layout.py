"""The printed sales order: a document layout that takes the order's `DocEntry`."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Final

from comercial_demo import chilean
from comercial_demo.company import COMPANY
from comercial_demo.queries import ORDER, ORDER_LINES
from erp_gateway.extensions import (
    HtmlReport,
    NotFound,
    ParameterInput,
    ReportColumn,
    ReportParameter,
    ReportTable,
    RunQuery,
)


async def build(run_query: RunQuery, values: Mapping[str, object]) -> Mapping[str, object]:
    """Return what `pedido.html` shows.

    Raises:
        NotFound: there is no such order.
    """
    key = {"docEntry": values["docEntry"]}
    found = await run_query(ORDER.name, key)
    if not found.rows:
        raise NotFound(f"No existe el pedido {values['docEntry']}.")
    order = found.rows[0]
    lines = (await run_query(ORDER_LINES.name, key)).rows
    return {
        "company": COMPANY,
        "titulo": f"Pedido de venta N° {order['numero']}",
        "es": chilean,
        "order": order,
        "lines": lines,
        "net": chilean.exact(order["total"]) - chilean.exact(order["iva"]),
        "discounts": any(chilean.exact(line["descuento"]) for line in lines),
        "lines_total": sum((chilean.exact(line["total"]) for line in lines), Decimal(0)),
        "exempt": sum(
            (chilean.exact(line["total"]) for line in lines if not chilean.exact(line["impuesto"])),
            Decimal(0),
        ),
    }


REPORT: Final = HtmlReport(
    code="pedido",
    title="Pedido de venta",
    parameters=(
        ReportParameter(
            name="docEntry",
            type="xsd:decimal",
            required=True,
            is_doc_entry=True,
            label="Número interno del pedido",
            input=ParameterInput(kind="number"),
        ),
    ),
    tables=(
        ReportTable(
            name="lines",
            title="Líneas del pedido",
            columns=(
                ReportColumn(name="codigo", title="Código"),
                ReportColumn(name="descripcion", title="Descripción"),
                ReportColumn(name="bodega", title="Bodega"),
                ReportColumn(name="cantidad", title="Cantidad"),
                ReportColumn(name="unidad", title="Unidad"),
                ReportColumn(name="precio", title="Precio"),
                ReportColumn(name="descuento", title="Descuento %"),
                ReportColumn(name="total", title="Total"),
            ),
        ),
    ),
    folder=Path(__file__).with_name("templates"),
    template="pedido.html",
    fixture="pedido.json",
    data=build,
)
