"""Decode records of `LIB_ODEV` as open plans."""

from decimal import Decimal
from typing import Final

import msgspec

from supplier_returns.planning.model.open_plans import OpenPlan
from supplier_returns.planning.records.record_list import read_each
from supplier_returns.planning.records.rows import (
    LINE_STATES,
    KeyRow,
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
    """Decode the plannings of a list, without those that another program damaged.

    Raises:
        UnreadableRecordError: the text is not a list, or a record has no key.
    """
    return read_each(rows, _open_plan)


def _open_plan(record: msgspec.Raw) -> OpenPlan:
    row = _PLAN.decode(record)
    items = frozenset(line.U_ItemCode for line in row.LIB_DEV1Collection if _is_planned(line))
    return OpenPlan(row.DocNum or row.DocEntry, row.U_UsrCrea or "", items)


def _is_planned(line: _LineRow) -> bool:
    return bool(line.U_CantAsg) and not LINE_STATES[line.U_Estado or "PL"].is_final
