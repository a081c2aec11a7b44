"""Decode records of `LIB_ODEV` as rows of a list."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import tzinfo
from typing import Final

import msgspec
from attrs import evolve
from msgspec.structs import replace

from supplier_returns.planning.model.listing import PlanningSummary
from supplier_returns.planning.model.states import PlanningState
from supplier_returns.planning.records.reading import created_at, is_open, state_of
from supplier_returns.planning.records.record_list import (
    DECODE_ERRORS,
    KEY_ROW,
    RECORDS,
    UnreadableRecordError,
)
from supplier_returns.planning.records.rows import (
    SummaryRow,
    day,
)

_HEAD: Final = msgspec.json.Decoder(SummaryRow)
_FIELDS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_summaries(rows: bytes, zone: tzinfo) -> tuple[PlanningSummary, ...]:
    """Decode the headers of a list. A damaged one is `UNREADABLE`, with the fields that can be read.

    Args:
        rows: records of the ERP as a JSON array.
        zone: time zone of the ERP's clock.

    Raises:
        UnreadableRecordError: a record has no key.
    """
    try:
        return tuple(_read_or_salvage(raw, zone) for raw in RECORDS.decode(rows))
    except DECODE_ERRORS as error:
        raise UnreadableRecordError("a record without a key") from error


def _read_or_salvage(raw: msgspec.Raw, zone: tzinfo) -> PlanningSummary:
    try:
        return _summary(_HEAD.decode(raw), zone)
    except DECODE_ERRORS:
        return _salvaged(KEY_ROW.decode(raw).DocEntry, _FIELDS.decode(raw), zone)


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


def _salvaged(key: int, fields: Mapping[str, msgspec.Raw], zone: tzinfo) -> PlanningSummary:
    """Decode each field on its own, and keep those that are valid."""
    row = SummaryRow(DocEntry=key, U_WhsCode="", U_Fecha="")
    for each in msgspec.structs.fields(SummaryRow):
        with suppress(msgspec.MsgspecError, KeyError):
            # The fields are independent, so a damaged one must not hide the others.
            setattr(row, each.name, msgspec.json.decode(fields[each.name], type=each.type))
    readable = {"U_Estado": None, "U_Fecha": "0001-01-01", "CreateDate": None}
    created = posting_date = None
    with suppress(*DECODE_ERRORS):
        created = created_at(row, zone)
    with suppress(ValueError):
        posting_date = day(row.U_Fecha)
    return evolve(
        _summary(replace(row, **readable), zone),
        state=PlanningState.UNREADABLE,
        whs_code=row.U_WhsCode or None,
        posting_date=posting_date,
        created_at=created,
    )
