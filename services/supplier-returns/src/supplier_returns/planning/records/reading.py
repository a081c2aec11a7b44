"""From records of `LIB_ODEV` to plannings: whole ones, and lists of which one may be spoiled."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, tzinfo
from decimal import Decimal
from typing import Final, TypeVar

import msgspec

from supplier_returns.planning.records.field_names import (
    BINS,
    DOCUMENT_STATES,
    LINE_STATES,
    MANAGEMENTS,
    PLANNING_STATES,
    AllocationRow,
    DocumentRow,
    HeadRow,
    KeyRow,
    LineRow,
    PlanningRow,
)
from supplier_returns.planning.rules.model import (
    ZERO,
    Allocation,
    Execution,
    LineState,
    OpenPlan,
    OpenReceiptLine,
    Planning,
    PlanningHeader,
    PlanningLine,
    PlanningState,
    PlanningSummary,
    SupplierDocument,
)

MAX_DECIMALS: Final = 6
"""Most decimals that the ERP keeps for quantities."""

MAX_DIGITS: Final = 19
"""Digits of the longest number that the ERP keeps; longer ones can't be reckoned with exactly."""

_WHOLE: Final = msgspec.json.Decoder(PlanningRow)

SPOILED: Final = (msgspec.MsgspecError, LookupError, ValueError, ArithmeticError)
"""What reading a record raises where somebody else changed it."""

_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD: Final = msgspec.json.Decoder(HeadRow)
_KEY: Final = msgspec.json.Decoder(KeyRow)
_FIELDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_T = TypeVar("_T")


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
    parts: dict[int, list[Allocation]] = {row.LineId: [] for row in whole.LIB_DEV1Collection}
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


def _read_line(row: LineRow, parts: Sequence[Allocation]) -> PlanningLine:
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


def _read_allocation(row: AllocationRow, item_code: str, document: SupplierDocument | None) -> Allocation:
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
    return Allocation(
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


def read_summaries(rows: bytes, zone: tzinfo) -> tuple[PlanningSummary, ...]:
    """Read the headers of a list; one that is spoiled is `UNREADABLE` and keeps what can be read of it.

    Args:
        rows: The ERP's records as a JSON array.
        zone: Time zone of the ERP's clock.

    Raises:
        UnreadableRecordError: One of them has no key.
    """
    try:
        return tuple(_read_or_salvage(raw, zone) for raw in _ROWS.decode(rows))
    except SPOILED as error:
        raise UnreadableRecordError("a record without a key") from error


def is_open(head: HeadRow) -> bool:
    """Tell whether the ERP's record is open."""
    return head.Status != "C" and head.Canceled != "Y"


def state_of(head: HeadRow) -> PlanningState:
    """Return where a planning stands.

    Raises:
        KeyError: its letter is none of ours.
    """
    return PLANNING_STATES[head.U_Estado or "P"] if is_open(head) else PlanningState.CLOSED


def created_at(head: HeadRow, zone: tzinfo) -> datetime | None:
    """Return the native creation time. `CreateTime` is `HH:MM:SS` or a number like 1405 (both were seen).

    Raises:
        ValueError, OverflowError: it is no time.
    """
    if head.CreateDate is None:
        return None
    digits = "".join(filter(str.isdigit, str(head.CreateTime or "")))
    clock = digits[:6] if isinstance(head.CreateTime, str) else digits.zfill(4)
    clock = clock.ljust(6, "0")
    at = time(int(clock[:2]), int(clock[2:4]), int(clock[4:6]))
    return datetime.combine(day(head.CreateDate), at, tzinfo=zone).astimezone(UTC)


def day(text: str) -> date:
    """Read a date, with or without a time behind it.

    Raises:
        ValueError: it is none.
    """
    return date.fromisoformat(text[:10])


def key_of(record: msgspec.Raw) -> int:
    """Return a record's key, without which it is none.

    Raises:
        msgspec.ValidationError: It has none.
    """
    return _KEY.decode(record).DocEntry


def _read_or_salvage(raw: msgspec.Raw, zone: tzinfo) -> PlanningSummary:
    try:
        return _summary(_HEAD.decode(raw), zone)
    except SPOILED:
        return _salvaged(key_of(raw), _FIELDS.decode(raw), zone)


def _summary(head: HeadRow, zone: tzinfo) -> PlanningSummary:
    return PlanningSummary(
        id=head.DocEntry,
        number=head.DocNum or head.DocEntry,
        is_open=is_open(head),
        state=state_of(head),
        whs_code=head.U_WhsCode,
        posting_date=day(head.U_Fecha),
        created_by=head.U_UsrCrea or "",
        created_at=created_at(head, zone),
        line_count=head.U_TotLin or 0,
        document_count=head.U_TotDoc or 0,
        created_count=head.U_TotOk or 0,
        failed_count=head.U_TotErr or 0,
    )


def _salvaged(key: int, sent: Mapping[str, msgspec.Raw], zone: tzinfo) -> PlanningSummary:
    """Keep the fields that can be read by themselves."""

    def kept(name: str, kind: type[_T]) -> _T | None:
        try:
            return msgspec.json.decode(sent.get(name, b"null"), type=kind)
        except msgspec.MsgspecError:
            return None

    head = HeadRow(
        DocEntry=key,
        U_WhsCode=kept("U_WhsCode", str) or "",
        U_Fecha=kept("U_Fecha", str) or "",
        Status=kept("Status", str),
        Canceled=kept("Canceled", str),
        CreateDate=kept("CreateDate", str),
        CreateTime=kept("CreateTime", str) or kept("CreateTime", int),
    )
    try:
        since = created_at(head, zone)
    except SPOILED:
        since = None
    try:
        posting_date = day(head.U_Fecha)
    except ValueError:
        posting_date = None
    return PlanningSummary(
        id=key,
        number=kept("DocNum", int) or key,
        is_open=is_open(head),
        state=PlanningState.UNREADABLE,
        whs_code=head.U_WhsCode or None,
        posting_date=posting_date,
        created_by=kept("U_UsrCrea", str) or "",
        created_at=since,
        line_count=kept("U_TotLin", int) or 0,
        document_count=kept("U_TotDoc", int) or 0,
        created_count=kept("U_TotOk", int) or 0,
        failed_count=kept("U_TotErr", int) or 0,
    )


OPEN_PLAN_FIELDS: Final = ("DocEntry", "DocNum", "U_UsrCrea", "LIB_DEV1Collection")

_SETTLED: Final = frozenset({LineState.EXCLUDED, LineState.RETURNED, LineState.DROPPED})


class _LineRow(msgspec.Struct):
    U_ItemCode: str
    U_CantAsg: Decimal | None = None
    U_Estado: str | None = None


class _PlanRow(KeyRow):
    DocNum: int | None = None
    U_UsrCrea: str | None = None
    LIB_DEV1Collection: list[_LineRow] = msgspec.field(default_factory=list)


_PLAN: Final = msgspec.json.Decoder(_PlanRow)


def read_open_plans(rows: bytes) -> tuple[OpenPlan, ...]:
    """Read the plannings of a list; one that another program spoiled is left out.

    Raises:
        UnreadableRecordError: It is no list.
    """
    try:
        records = _ROWS.decode(rows)
    except msgspec.MsgspecError as error:
        raise UnreadableRecordError("no list of records") from error
    return tuple(_readable_plans(records))


def _readable_plans(records: list[msgspec.Raw]) -> Iterator[OpenPlan]:
    for record in records:
        with suppress(*SPOILED):
            row = _PLAN.decode(record)
            items = frozenset(line.U_ItemCode for line in row.LIB_DEV1Collection if _is_planned(line))
            yield OpenPlan(row.DocNum or row.DocEntry, row.U_UsrCrea or "", items)


def _is_planned(line: _LineRow) -> bool:
    return bool(line.U_CantAsg) and LINE_STATES[line.U_Estado or "PL"] not in _SETTLED
