"""From a record of `LIB_ODEV` to a planning."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, tzinfo
from decimal import Decimal
from typing import Final

import msgspec

from supplier_returns.planning.erp_shapes import (
    BINS,
    DOCUMENT_STATES,
    LINE_STATES,
    MANAGEMENTS,
    PLANNING_STATES,
    AllocationRow,
    DocumentRow,
    HeadRow,
    LineRow,
    PlanningRow,
)
from supplier_returns.planning.model import OpenReceiptLine
from supplier_returns.planning.record import (
    ZERO,
    LineAllocation,
    Planning,
    PlanningHeader,
    PlanningLine,
    PlanningState,
    PlanningSummary,
    SupplierDocument,
)

MAX_DECIMALS: Final = 6
"""Most decimals that the ERP keeps for quantities."""

_WHOLE: Final = msgspec.json.Decoder(PlanningRow)
_WHOLE_LIST: Final = msgspec.json.Decoder(list[PlanningRow])
_HEADS: Final = msgspec.json.Decoder(list[HeadRow])


class UnreadableRecordError(ValueError):
    """What the ERP holds is no planning of this service: a field is missing, or a row refers to none."""


def read_planning(body: bytes, zone: tzinfo) -> Planning:
    """Read a planning with all its rows.

    Args:
        body: The ERP's record as JSON.
        zone: Time zone of the ERP's clock.

    Raises:
        UnreadableRecordError: It is not what this service wrote.
    """
    try:
        return _planning(_WHOLE.decode(body), zone)
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise UnreadableRecordError("the record is not a planning as this service writes it") from error


def read_plannings(rows: bytes, zone: tzinfo) -> tuple[Planning, ...]:
    """Read the plannings of a list that was asked for with all their rows.

    Raises:
        UnreadableRecordError: One of them is not what this service wrote.
    """
    try:
        return tuple(_planning(whole, zone) for whole in _WHOLE_LIST.decode(rows))
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise UnreadableRecordError("a record is not a planning as this service writes it") from error


def read_summaries(rows: bytes, zone: tzinfo) -> tuple[PlanningSummary, ...]:
    """Read the headers of a list.

    Raises:
        UnreadableRecordError: One of them is not what this service wrote.
    """
    try:
        return tuple(_summary(head, zone) for head in _HEADS.decode(rows))
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise UnreadableRecordError("a record is not a planning as this service writes it") from error


def _planning(whole: PlanningRow, zone: tzinfo) -> Planning:
    documents = {row.LineId: _read_document(row) for row in whole.LIB_DEV3Collection}
    parts: dict[int, list[LineAllocation]] = {row.LineId: [] for row in whole.LIB_DEV1Collection}
    items = {row.LineId: row.U_ItemCode for row in whole.LIB_DEV1Collection}
    for row in whole.LIB_DEV2Collection:
        document = documents.get(row.U_DocRef or 0)
        parts[row.U_LinRef].append(_read_allocation(row, items[row.U_LinRef], document))
    return Planning(
        id=whole.DocEntry,
        number=whole.DocNum or whole.DocEntry,
        is_open=_is_open(whole),
        state=_planning_state(whole),
        version=whole.U_Version or 0,
        header=_read_header(whole),
        lines=tuple(_read_line(row, parts[row.LineId]) for row in whole.LIB_DEV1Collection),
        documents=tuple(documents[number] for number in sorted(documents)),
        created_by=whole.U_UsrCrea or "",
        created_at=_created_at(whole, zone),
        digest=whole.U_Huella or "",
    )


def _summary(head: HeadRow, zone: tzinfo) -> PlanningSummary:
    return PlanningSummary(
        id=head.DocEntry,
        number=head.DocNum or head.DocEntry,
        is_open=_is_open(head),
        state=_planning_state(head),
        whs_code=head.U_WhsCode,
        posting_date=_date(head.U_Fecha),
        created_by=head.U_UsrCrea or "",
        created_at=_created_at(head, zone),
        line_count=head.U_TotLin or 0,
        document_count=head.U_TotDoc or 0,
        created_count=head.U_TotOk or 0,
        failed_count=head.U_TotErr or 0,
    )


def _is_open(head: HeadRow) -> bool:
    return head.Status != "C" and head.Canceled != "Y"


def _planning_state(head: HeadRow) -> PlanningState:
    return PLANNING_STATES[head.U_Estado or "P"] if _is_open(head) else PlanningState.CLOSED


def _created_at(head: HeadRow, zone: tzinfo) -> datetime | None:
    """Return the native creation time. `CreateTime` is `HH:MM:SS` or a number like 1405 (both were seen)."""
    if head.CreateDate is None:
        return None
    digits = "".join(filter(str.isdigit, str(head.CreateTime or "")))
    clock = digits[:6] if isinstance(head.CreateTime, str) else digits.zfill(4)
    clock = clock.ljust(6, "0")
    at = time(int(clock[:2]), int(clock[2:4]), int(clock[4:6]))
    return datetime.combine(_date(head.CreateDate), at, tzinfo=zone).astimezone(UTC)


def _date(text: str) -> date:
    return date.fromisoformat(text[:10])


def _decimals(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= MAX_DECIMALS else None


def _read_header(head: HeadRow) -> PlanningHeader:
    return PlanningHeader(
        whs_code=head.U_WhsCode,
        posting_date=_date(head.U_Fecha),
        document_date=_date(head.U_FechaDoc or head.U_Fecha),
        series=head.U_Serie or None,
        transfer_kind=head.U_IndTras or "7",
        dispatch_kind=head.U_TipoDesp or None,
        reason=head.U_Motivo or None,
        comment=head.U_Coment or None,
        max_lines=head.U_MaxLin or 1,
        decimals=_decimals(head.U_DecCant),
        has_bins=BINS.get(head.U_Ubicac or ""),
    )


def _read_line(row: LineRow, parts: Sequence[LineAllocation]) -> PlanningLine:
    return PlanningLine(
        line_id=row.LineId,
        item_code=row.U_ItemCode,
        quantity=_number(row.U_CantSol),
        name=row.U_ItemName or "",
        unit=row.U_UniMed or "",
        stock=_number(row.U_StockIni),
        no_stock=_number(row.U_SinStock),
        no_receipt=_number(row.U_SinEnt),
        indivisible=_number(row.U_NoDiv),
        management=MANAGEMENTS[row.U_Gestion or "N"],
        reason=row.U_Motivo or None,
        excluded=row.U_Excluida == "Y",
        card_code=row.U_CardLim or None,
        state=LINE_STATES[row.U_Estado or "PL"],
        message=row.U_Mensaje or None,
        rows=tuple(int(text) for text in (row.U_Filas or "").split(",") if text.isdigit()),
        allocations=tuple(parts),
    )


def _read_allocation(row: AllocationRow, item_code: str, document: SupplierDocument | None) -> LineAllocation:
    factor = _number(row.U_Factor) or Decimal(1)
    open_inventory = _number(row.U_AbiertoIni)
    receipt = OpenReceiptLine(
        doc_entry=row.U_BaseEntry,
        line_num=row.U_BaseLine,
        doc_date=_date(row.U_BaseFec),
        item_code=item_code,
        card_code=row.U_CardCode,
        currency=row.U_Moneda or "",
        branch=row.U_BPLId or None,
        open_inventory=open_inventory,
        open_document=open_inventory / factor,
        factor=factor,
        doc_num=row.U_BaseNum or 0,
        supplier_reference=row.U_BaseRef or "",
        supplier_name="" if document is None else document.name,
        supplier_tax_id="" if document is None else document.tax_id,
        price=_number(row.U_Precio),
        tax_code=row.U_TaxCode or "",
    )
    return LineAllocation(
        receipt,
        _number(row.U_CantInv),
        _number(row.U_CantDoc),
        doc_id=row.U_DocRef or 0,
        position=row.U_Orden or 0,
        batch=row.U_Lote or None,
        serial=row.U_NumSerie or None,
    )


def _read_document(row: DocumentRow) -> SupplierDocument:
    return SupplierDocument(
        doc_id=row.LineId,
        card_code=row.U_CardCode,
        name=row.U_CardName or "",
        tax_id=row.U_Rut or "",
        currency=row.U_Moneda or "",
        branch=row.U_BPLId or None,
        part=row.U_Parte or 1,
        line_count=row.U_NLin or 0,
        total=_number(row.U_Total),
        state=DOCUMENT_STATES[row.U_Estado or "P"],
        key=row.U_Clave or "",
        payload_hash=row.U_Huella or "",
        attempts=row.U_Intentos or 0,
        last_attempt=row.U_UltInt or "",
        error_class=row.U_Clase or None,
        error_code=row.U_CodErr or None,
        message=row.U_Mensaje or None,
        doc_entry=row.U_DevEntry or None,
        doc_num=row.U_DevNum or None,
        folio=row.U_Folio or None,
    )


def _number(value: Decimal | None) -> Decimal:
    """Drop the zeros that the ERP adds: it answers 7.0 for 7."""
    if not value:
        return ZERO
    value = value.normalize()
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value
