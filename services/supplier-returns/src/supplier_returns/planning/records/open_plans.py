"""From `LIB_ODEV` records to what open plannings take from a warehouse."""

from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Final

import msgspec

from supplier_returns.planning.records.field_names import LINE_STATES, KeyRow
from supplier_returns.planning.records.heads import SPOILED, UnreadableRecordError
from supplier_returns.planning.rules.overlaps import OpenPlan
from supplier_returns.planning.rules.plannings import LineState

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


_ROWS: Final = msgspec.json.Decoder(list[msgspec.Raw])
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
    return tuple(_readable(records))


def _readable(records: list[msgspec.Raw]) -> Iterator[OpenPlan]:
    for record in records:
        with suppress(*SPOILED):
            row = _PLAN.decode(record)
            items = frozenset(line.U_ItemCode for line in row.LIB_DEV1Collection if _is_planned(line))
            yield OpenPlan(row.DocNum or row.DocEntry, row.U_UsrCrea or "", items)


def _is_planned(line: _LineRow) -> bool:
    return bool(line.U_CantAsg) and LINE_STATES[line.U_Estado or "PL"] not in _SETTLED
