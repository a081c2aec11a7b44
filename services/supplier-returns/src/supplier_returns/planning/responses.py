"""Convert plannings to response bodies."""

from decimal import Decimal
from typing import Any, Final

import msgspec

from servicekit.csv_cells import BOM, CsvCells
from servicekit.endpoint.shapes import unstructure
from supplier_returns.planning.model.listing import PlanningSummary
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState, LineState
from supplier_returns.planning.model.warehouse import Management
from supplier_returns.planning.preview import Preview
from supplier_returns.planning.response_shapes import (
    DetailShape,
    LineLotsShape,
    ListRowShape,
    LotShape,
    PreviewShape,
    SummaryShape,
)
from supplier_returns.planning.rules.actions import actions_of, state_now
from supplier_returns.planning.rules.lots import LotChoice
from supplier_returns.planning.service import LineLots
from supplier_returns.quantities import ZERO, rounded
from supplier_returns.shape_fields import to_shape

# Spreadsheets with a decimal comma separate the columns of a CSV file with semicolons.
_CELLS: Final = CsvCells(";")
SHORTAGE_COLUMNS: Final = (
    "Artículo",
    "Descripción",
    "Unidad",
    "Se pide",
    "Vuelve",
    "Sin stock",
    "Sin entrada",
    "No divisible",
    "En bodega",
    "Motivo",
    "Por qué",
)
"""Column titles of the CSV file of shortages."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def detail_json(planning: Planning, *, is_running: bool = False) -> bytes:
    """Encode a planning with all its parts.

    Args:
        planning: recorded planning.
        is_running: whether an execution of it runs.
    """
    shape = to_shape(
        DetailShape,
        planning,
        **_status_of(planning, is_running=is_running),
        resumen=_summary_of(planning),
        acciones=tuple(action.value for action in actions_of(planning, is_running=is_running)),
    )
    return _ENCODER.encode(unstructure(shape))


def shortages_csv(planning: Planning) -> bytes:
    """Encode the lines that can't be returned completely as CSV with decimal commas."""
    rows = [
        (
            line.item_code,
            line.name,
            line.unit,
            *map(
                rounded,
                (
                    line.quantity,
                    line.allocated,
                    line.no_stock,
                    line.no_receipt,
                    line.indivisible,
                    line.stock,
                ),
            ),
            line.reason,
            line.message,
        )
        for line in planning.lines
        if line.is_short
    ]
    return BOM + "".join(map(_CELLS.line, (SHORTAGE_COLUMNS, *rows))).encode()


def open_json(planning: Planning | None, *, is_running: bool = False) -> bytes:
    """Encode the user's open planning, or null."""
    detail = b"null" if planning is None else detail_json(planning, is_running=is_running)
    return b'{"planificacion":' + detail + b"}"


def preview_json(preview: Preview) -> bytes:
    """Encode a preview."""
    fields: dict[str, Any] = unstructure(to_shape(PreviewShape, preview, errores=(), avisos=()))
    # A bad paste has tens of thousands of notes. The computing process has already encoded them as JSON.
    fields["errores"] = msgspec.Raw(b"[" + preview.reading.problems + b"]")
    warnings = b",".join(filter(None, (preview.reading.warnings, preview.plan_warnings)))
    fields["avisos"] = msgspec.Raw(b"[" + warnings + b"]")
    return _ENCODER.encode(fields)


def list_row_of(summary: PlanningSummary, *, is_running: bool = False) -> ListRowShape:
    """Convert a planning of a list."""
    return to_shape(ListRowShape, summary, **_status_of(summary, is_running=is_running))


def line_lots_of(line_lots: LineLots) -> LineLotsShape:
    """Convert the lots that a line may pick."""
    lots = tuple(_lot_of(choice, line_lots.line.management) for choice in line_lots.choices)
    return to_shape(LineLotsShape, line_lots.line, lotes=lots)


def _lot_of(choice: LotChoice, management: Management) -> LotShape:
    name, is_serial = choice.lot.name, management is Management.SERIALS
    return to_shape(LotShape, choice, lote=None if is_serial else name, serie=name if is_serial else None)


def _status_of(planning: Planning | PlanningSummary, *, is_running: bool) -> dict[str, str]:
    return {
        "status": "O" if planning.is_open else "C",
        "estado": state_now(planning.state, is_running=is_running).value,
    }


def _summary_of(planning: Planning) -> SummaryShape:
    requested = [line for line in planning.lines if line.state is not LineState.EXCLUDED]
    documents = [each for each in planning.documents if each.state is not DocumentState.OMITTED]

    def total(attribute: str) -> Decimal:
        return rounded(sum((getattr(line, attribute) for line in requested), ZERO))

    return SummaryShape(
        lineas=len(requested),
        excluidas=len(planning.lines) - len(requested),
        documentos=len(documents),
        proveedores=len({document.card_code for document in documents}),
        pedida=total("quantity"),
        asignada=total("allocated"),
        sin_stock=total("no_stock"),
        sin_entrada=total("no_receipt"),
        no_divisible=total("indivisible"),
    )
