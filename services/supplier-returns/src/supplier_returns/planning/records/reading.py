"""From a record of `LIB_ODEV` to a planning."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import tzinfo
from decimal import Decimal
from typing import Final

import msgspec

from supplier_returns.planning.records.field_names import (
    BINS,
    DOCUMENT_STATES,
    LINE_STATES,
    MANAGEMENTS,
    AllocationRow,
    DocumentRow,
    HeadRow,
    LineRow,
    PlanningRow,
)
from supplier_returns.planning.records.heads import (
    SPOILED,
    UnreadableRecordError,
    created_at,
    day,
    is_open,
    key_of,
    state_of,
)
from supplier_returns.planning.rules.model import OpenReceiptLine
from supplier_returns.planning.rules.plannings import (
    ZERO,
    Execution,
    LineAllocation,
    Planning,
    PlanningHeader,
    PlanningLine,
    SupplierDocument,
)

MAX_DECIMALS: Final = 6
"""Most decimals that the ERP keeps for quantities."""

MAX_DIGITS: Final = 19
"""Digits of the longest number that the ERP keeps; longer ones can't be reckoned with exactly."""

_WHOLE: Final = msgspec.json.Decoder(PlanningRow)
_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])


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
    except SPOILED as error:
        raise UnreadableRecordError("the record is not a planning as this service writes it") from error


def read_plannings(rows: bytes, zone: tzinfo) -> tuple[Planning, ...]:
    """Read the plannings of a list that came with all their rows; those that are spoiled are left out.

    Raises:
        UnreadableRecordError: It is no list, or one of its records has no key.
    """
    try:
        records = _ROWS.decode(rows)
        for record in records:
            key_of(record)
    except msgspec.MsgspecError as error:
        raise UnreadableRecordError("a record without a key") from error
    return tuple(_readable(records, zone))


def _readable(records: Iterable[msgspec.Raw], zone: tzinfo) -> Iterator[Planning]:
    for record in records:
        with suppress(*SPOILED):
            yield _planning(_WHOLE.decode(record), zone)


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
        is_open=is_open(whole),
        state=state_of(whole),
        version=whole.U_Version or 0,
        header=_read_header(whole),
        lines=tuple(_read_line(row, parts[row.LineId]) for row in whole.LIB_DEV1Collection),
        documents=tuple(documents[number] for number in sorted(documents)),
        created_by=whole.U_UsrCrea or "",
        created_at=created_at(whole, zone),
        digest=whole.U_Huella or "",
        execution=_read_execution(whole),
        closed_by=whole.U_UsrCierra or "",
        close_reason=whole.U_MotCierre or None,
    )


def _read_execution(head: HeadRow) -> Execution | None:
    if not head.U_EjecIni:
        return None
    return Execution(
        user=head.U_UsrEjec or "",
        request_id=head.U_EjecId or "",
        began=head.U_EjecIni,
        ended=head.U_EjecFin or "",
    )


def _decimals(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= MAX_DECIMALS else None


def _read_header(head: HeadRow) -> PlanningHeader:
    return PlanningHeader(
        whs_code=head.U_WhsCode,
        posting_date=day(head.U_Fecha),
        document_date=day(head.U_FechaDoc or head.U_Fecha),
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
    if factor < 0:
        raise ValueError("a factor below zero")
    open_inventory = _number(row.U_AbiertoIni)
    receipt = OpenReceiptLine(
        doc_entry=row.U_BaseEntry,
        line_num=row.U_BaseLine,
        doc_date=day(row.U_BaseFec),
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
    """Drop the zeros that the ERP adds: it answers 7.0 for 7.

    Raises:
        ValueError: It is no number that the ERP could keep.
    """
    if not value:
        return ZERO
    if not value.is_finite() or not -MAX_DIGITS < value.adjusted() < MAX_DIGITS:
        raise ValueError("not a number that the ERP keeps")
    value = value.normalize()
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value
