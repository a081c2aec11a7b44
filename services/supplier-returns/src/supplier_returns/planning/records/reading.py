"""From records of `LIB_ODEV` to plannings: whole ones, and lists of which one may be spoiled."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, time, tzinfo
from decimal import Decimal
from typing import Any, Final, TypeVar

import msgspec
from attrs import evolve
from msgspec.structs import replace

from supplier_returns.planning.records.rows import (
    ALLOCATION,
    CLOSING,
    DOCUMENT,
    EXECUTION,
    HEAD,
    LINE,
    LINE_STATES,
    PLANNING_STATES,
    RETURN_FIELDS,
    KeyRow,
    PlanningRow,
    SummaryRow,
    day,
)
from supplier_returns.planning.rules.model import (
    Allocation,
    Execution,
    OpenPlan,
    OpenReceiptLine,
    Planning,
    PlanningHeader,
    PlanningLine,
    PlanningSummary,
    SupplierDocument,
)
from supplier_returns.planning.rules.states import PlanningState
from supplier_returns.planning.rules.warnings import read_codes, warnings_in

_WHOLE: Final = msgspec.json.Decoder(PlanningRow)

SPOILED: Final = (msgspec.MsgspecError, LookupError, ValueError, ArithmeticError)
"""What reading a record raises where somebody else changed it."""

_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD: Final = msgspec.json.Decoder(SummaryRow)
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


def read_plannings(rows: bytes, zone: tzinfo) -> list[Planning]:
    """Read the plannings of a list that came with all their rows; those that are spoiled are left out.

    Raises:
        UnreadableRecordError: It is no list, or one of its records has no key.
    """
    return _readable(rows, lambda record: _planning(_WHOLE.decode(record), zone))


def _readable(rows: bytes, read: Callable[[msgspec.Raw], _T]) -> list[_T]:
    found: list[_T] = []
    try:
        for record in _ROWS.decode(rows):
            _KEY.decode(record)
            with suppress(*SPOILED):
                found.append(read(record))
    except msgspec.MsgspecError as error:
        raise UnreadableRecordError("a record without a key") from error
    return found


def _planning(whole: Any, zone: tzinfo) -> Planning:
    documents = {row.LineId: _read_document(row) for row in whole.LIB_DEV3Collection}
    parts: dict[int, list[Allocation]] = {row.LineId: [] for row in whole.LIB_DEV1Collection}
    items = {row.LineId: row.U_ItemCode for row in whole.LIB_DEV1Collection}
    for row in whole.LIB_DEV2Collection:
        document = documents.get(row.U_DocRef or 0)
        parts[row.U_LinRef].append(_read_allocation(row, items[row.U_LinRef], document))
    header = HEAD.read(whole, "header") | RETURN_FIELDS.read(whole, "header")
    header["document_date"] = header["document_date"] or header["posting_date"]
    return Planning(
        **{**HEAD.read(whole), "state": state_of(whole)},
        **CLOSING.read(whole),
        id=whole.DocEntry,
        number=whole.DocNum or whole.DocEntry,
        is_open=is_open(whole),
        header=PlanningHeader(**header),
        lines=tuple(
            PlanningLine(**LINE.read(row), allocations=tuple(parts[row.LineId]))
            for row in whole.LIB_DEV1Collection
        ),
        documents=tuple(documents[number] for number in sorted(documents)),
        created_at=created_at(whole, zone),
        execution=Execution(**EXECUTION.read(whole)) if whole.U_EjecIni else None,
        has_warning_codes=any(row.U_CodAviso is not msgspec.UNSET for row in whole.LIB_DEV3Collection),
    )


def _read_document(row: Any) -> SupplierDocument:
    """Read a document. Without codes its warnings are read from its message.

    Version 0.1.0 writes messages and no codes. Codes that are older than the message only put a document on
    hold until a person executes it.
    """
    codes = None if row.U_CodAviso is msgspec.UNSET else row.U_CodAviso
    known = read_codes(codes) if codes else warnings_in(row.U_Mensaje)
    return SupplierDocument(**DOCUMENT.read(row), warnings=known)


def _read_allocation(row: Any, item_code: str, document: SupplierDocument | None) -> Allocation:
    values = ALLOCATION.read(row, "receipt")
    factor = values["factor"] = values["factor"] or Decimal(1)
    if factor < 0:
        raise ValueError("a factor below zero")
    receipt = OpenReceiptLine(
        **values,
        item_code=item_code,
        open_document=values["open_inventory"] / factor,
        supplier_name="" if document is None else document.name,
        supplier_tax_id="" if document is None else document.tax_id,
    )
    return Allocation(receipt, **ALLOCATION.read(row))


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


def is_open(head: SummaryRow) -> bool:
    """Tell whether the ERP's record is open."""
    return head.Status != "C" and head.Canceled != "Y"


def state_of(head: SummaryRow) -> PlanningState:
    """Return where a planning stands.

    Raises:
        KeyError: its letter is none of ours.
    """
    return PLANNING_STATES[head.U_Estado or "P"] if is_open(head) else PlanningState.CLOSED


def created_at(head: SummaryRow, zone: tzinfo) -> datetime | None:
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


def _read_or_salvage(raw: msgspec.Raw, zone: tzinfo) -> PlanningSummary:
    try:
        return _summary(_HEAD.decode(raw), zone)
    except SPOILED:
        return _salvaged(_KEY.decode(raw).DocEntry, _FIELDS.decode(raw), zone)


def _summary(row: SummaryRow, zone: tzinfo) -> PlanningSummary:
    return PlanningSummary(
        id=row.DocEntry,
        number=row.DocNum or row.DocEntry,
        is_open=is_open(row),
        state=state_of(row),
        whs_code=row.U_WhsCode,
        posting_date=day(row.U_Fecha),
        created_by=row.U_UsrCrea or "",
        created_at=created_at(row, zone),
        line_count=row.U_TotLin or 0,
        document_count=row.U_TotDoc or 0,
        created_count=row.U_TotOk or 0,
        failed_count=row.U_TotErr or 0,
    )


def _salvaged(key: int, sent: Mapping[str, msgspec.Raw], zone: tzinfo) -> PlanningSummary:
    """Keep the fields that can be read by themselves."""
    row = SummaryRow(DocEntry=key, U_WhsCode="", U_Fecha="")
    for each in msgspec.structs.fields(SummaryRow):
        with suppress(msgspec.MsgspecError, KeyError):
            setattr(row, each.name, msgspec.json.decode(sent[each.name], type=each.type))
    readable = {"U_Estado": None, "U_Fecha": "0001-01-01", "CreateDate": None}
    since = posting_date = None
    with suppress(*SPOILED):
        since = created_at(row, zone)
    with suppress(ValueError):
        posting_date = day(row.U_Fecha)
    return evolve(
        _summary(replace(row, **readable), zone),
        state=PlanningState.UNREADABLE,
        whs_code=row.U_WhsCode or None,
        posting_date=posting_date,
        created_at=since,
    )


OPEN_PLAN_FIELDS: Final = ("DocEntry", "DocNum", "U_UsrCrea", "LIB_DEV1Collection")


class _LineRow(msgspec.Struct):
    U_ItemCode: str
    U_CantAsg: Decimal | None = None
    U_Estado: str | None = None


class _PlanRow(KeyRow):
    DocNum: int | None = None
    U_UsrCrea: str | None = None
    LIB_DEV1Collection: list[_LineRow] = msgspec.field(default_factory=list)


_PLAN: Final = msgspec.json.Decoder(_PlanRow)


def read_open_plans(rows: bytes) -> list[OpenPlan]:
    """Read the plannings of a list; one that another program spoiled is left out.

    Raises:
        UnreadableRecordError: It is no list, or one of its records has no key.
    """
    return _readable(rows, _open_plan)


def _open_plan(record: msgspec.Raw) -> OpenPlan:
    row = _PLAN.decode(record)
    items = frozenset(line.U_ItemCode for line in row.LIB_DEV1Collection if _is_planned(line))
    return OpenPlan(row.DocNum or row.DocEntry, row.U_UsrCrea or "", items)


def _is_planned(line: _LineRow) -> bool:
    return bool(line.U_CantAsg) and not LINE_STATES[line.U_Estado or "PL"].is_final
