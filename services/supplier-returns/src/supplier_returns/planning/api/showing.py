"""From plannings to what the routes answer: one mapping, and the bytes of large answers."""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import msgspec

from servicekit.endpoint.shapes import unstructure
from supplier_returns.planning.api.bodies import (
    MAX_DECIMALS,
    AllocationShape,
    DetailShape,
    DocumentShape,
    HeaderShape,
    LineLotsShape,
    LineShape,
    ListRowShape,
    LotShape,
    PreviewLineShape,
    PreviewShape,
    SummaryShape,
)
from supplier_returns.planning.preview import Preview
from supplier_returns.planning.rules.lots import LotChoice
from supplier_returns.planning.rules.model import (
    ZERO,
    Allocation,
    DocumentState,
    LineState,
    Management,
    Planning,
    PlanningHeader,
    PlanningLine,
    PlanningSummary,
    SupplierDocument,
)
from supplier_returns.planning.rules.policy import actions_of, state_now
from supplier_returns.planning.service import LineLots

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
_STEP: Final = Decimal(1).scaleb(-MAX_DECIMALS)


def detail_json(planning: Planning, *, is_running: bool = False) -> bytes:
    """Write a planning with everything in it.

    Args:
        planning: As recorded.
        is_running: Whether an execution of it runs.
    """
    return _ENCODER.encode(unstructure(detail_of(planning, is_running=is_running)))


def open_json(planning: Planning | None, *, is_running: bool = False) -> bytes:
    """Write the user's open planning, or that there is none."""
    detail = b"null" if planning is None else detail_json(planning, is_running=is_running)
    return b'{"planificacion":' + detail + b"}"


def preview_json(preview: Preview) -> bytes:
    """Write what a paste would become."""
    reading, table, plan = preview.reading, preview.reading.table, preview.plan
    shape = PreviewShape(
        columnas=table.columns,
        encabezado=table.has_header,
        filas_leidas=table.rows_read,
        filas_vacias=table.rows_empty,
        lineas=tuple(PreviewLineShape(**line_fields(line)) for line in plan.lines),
        documentos=tuple(document_of(document) for document in plan.documents),
        errores=(),
        avisos=(),
        huella=reading.digest,
    )
    fields: dict[str, Any] = unstructure(shape)
    fields["errores"] = msgspec.Raw(b"[" + reading.problems + b"]")
    warnings = b",".join(filter(None, (reading.warnings, preview.more_warnings)))
    fields["avisos"] = msgspec.Raw(b"[" + warnings + b"]")
    return _ENCODER.encode(fields)


def detail_of(planning: Planning, *, is_running: bool = False) -> DetailShape:
    """Map a planning."""
    return DetailShape(
        id=planning.id,
        numero=planning.number,
        status=status_of(is_open=planning.is_open),
        estado=state_now(planning.state, is_running=is_running).value,
        version=planning.version,
        usuario=planning.created_by,
        creada=planning.created_at,
        cabecera=header_of(planning.header),
        lineas=tuple(LineShape(line_id=line.line_id, **line_fields(line)) for line in planning.lines),
        documentos=tuple(document_of(document) for document in planning.documents),
        resumen=summary_of(planning),
        acciones=tuple(action.value for action in actions_of(planning, is_running=is_running)),
    )


def list_row_of(summary: PlanningSummary, *, is_running: bool = False) -> ListRowShape:
    """Map a planning of a list."""
    return ListRowShape(
        id=summary.id,
        numero=summary.number,
        status=status_of(is_open=summary.is_open),
        estado=state_now(summary.state, is_running=is_running).value,
        whs_code=summary.whs_code,
        fecha=summary.posting_date,
        creada=summary.created_at,
        usuario=summary.created_by,
        total_lineas=summary.line_count,
        total_documentos=summary.document_count,
        creados=summary.created_count,
        errores=summary.failed_count,
    )


def status_of(*, is_open: bool) -> str:
    """Return the ERP's own letter for an open or a closed object."""
    return "O" if is_open else "C"


def header_of(header: PlanningHeader) -> HeaderShape:
    """Map a header."""
    return HeaderShape(
        whs_code=header.whs_code,
        fecha=header.posting_date,
        fecha_documento=header.document_date,
        serie=header.series,
        ind_traslado=header.transfer_kind,
        tipo_despacho=header.dispatch_kind,
        motivo=header.reason,
        comentario=header.comment,
        max_lineas=header.max_lines,
    )


def line_fields(line: PlanningLine) -> Mapping[str, Any]:
    """Map a line, but for its number."""
    return {
        "item_code": line.item_code,
        "descripcion": line.name,
        "unidad": line.unit,
        "cantidad": rounded(line.quantity),
        "asignada": rounded(line.allocated),
        "sin_stock": rounded(line.no_stock),
        "sin_entrada": rounded(line.no_receipt),
        "no_divisible": rounded(line.indivisible),
        "stock": rounded(line.stock),
        "gestion": line.management.value,
        "motivo": line.reason,
        "card_code": line.card_code,
        "excluida": line.excluded,
        "estado": line.state.value,
        "mensaje": line.message,
        "filas": line.rows,
        "asignaciones": tuple(allocation_of(part) for part in line.allocations),
    }


def allocation_of(part: Allocation) -> AllocationShape:
    """Map an allocation."""
    receipt = part.receipt
    return AllocationShape(
        doc_id=part.doc_id,
        card_code=receipt.card_code,
        base_entry=receipt.doc_entry,
        base_line=receipt.line_num,
        base_num=receipt.doc_num,
        base_fecha=receipt.doc_date,
        base_referencia=receipt.supplier_reference,
        cantidad=rounded(part.inventory),
        cantidad_documento=rounded(part.document),
        factor=rounded(receipt.factor),
        precio=rounded(receipt.price),
        moneda=receipt.currency,
        sucursal=receipt.branch,
        lote=part.batch,
        serie=part.serial,
    )


def line_lots_of(found: LineLots) -> LineLotsShape:
    """Map what a line may pick."""
    line = found.line
    return LineLotsShape(
        line_id=line.line_id,
        item_code=line.item_code,
        gestion=line.management.value,
        asignada=rounded(line.allocated),
        lotes=tuple(_lot_of(choice, line.management) for choice in found.choices),
    )


def _lot_of(choice: LotChoice, management: Management) -> LotShape:
    lot, is_serial = choice.lot, management is Management.SERIALS
    return LotShape(
        cantidad=rounded(lot.quantity),
        disponible=rounded(choice.left),
        elegida=rounded(choice.picked),
        lote=None if is_serial else lot.name,
        serie=lot.name if is_serial else None,
        vence=lot.expires,
        ingreso=lot.admitted,
    )


def document_of(document: SupplierDocument) -> DocumentShape:
    """Map a supplier document."""
    return DocumentShape(
        doc_id=document.doc_id,
        card_code=document.card_code,
        proveedor=document.name,
        rut=document.tax_id,
        moneda=document.currency,
        sucursal=document.branch,
        parte=document.part,
        lineas=document.line_count,
        total=rounded(document.total),
        estado=document.state.value,
        clase=document.error_class,
        mensaje=document.message,
        intentos=document.attempts,
        doc_entry=document.doc_entry,
        doc_num=document.doc_num,
        folio=document.folio,
    )


def summary_of(planning: Planning) -> SummaryShape:
    """Count and add up the lines that are not excluded."""
    asked = [line for line in planning.lines if line.state is not LineState.EXCLUDED]
    documents = [each for each in planning.documents if each.state is not DocumentState.OMITTED]
    return SummaryShape(
        lineas=len(asked),
        excluidas=len(planning.lines) - len(asked),
        documentos=len(documents),
        proveedores=len({document.card_code for document in documents}),
        pedida=rounded(sum((line.quantity for line in asked), ZERO)),
        asignada=rounded(sum((line.allocated for line in asked), ZERO)),
        sin_stock=rounded(sum((line.no_stock for line in asked), ZERO)),
        sin_entrada=rounded(sum((line.no_receipt for line in asked), ZERO)),
        no_divisible=rounded(sum((line.indivisible for line in asked), ZERO)),
    )


def rounded(number: Decimal) -> Decimal:
    """Return the number as JSON shows it: at most six decimals, no exponent, no needless zeros.

    Halves go up, as in the record: what a write answers is what is read afterwards.
    """
    number = number.quantize(_STEP, ROUND_HALF_UP).normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number
