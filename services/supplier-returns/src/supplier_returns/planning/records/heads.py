"""From the headers of `LIB_ODEV` records to a list of plannings, of which one may be spoiled."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, tzinfo
from typing import Final, TypeVar

import msgspec

from supplier_returns.planning.records.field_names import PLANNING_STATES, HeadRow, KeyRow
from supplier_returns.planning.rules.plannings import PlanningState, PlanningSummary

SPOILED: Final = (msgspec.MsgspecError, LookupError, ValueError, ArithmeticError)
"""What reading a record raises where somebody else changed it."""

_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD: Final = msgspec.json.Decoder(HeadRow)
_KEY: Final = msgspec.json.Decoder(KeyRow)
_FIELDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_T = TypeVar("_T")


class UnreadableRecordError(ValueError):
    """What the ERP holds is no planning of this service: a field is missing, or a row refers to none."""


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
