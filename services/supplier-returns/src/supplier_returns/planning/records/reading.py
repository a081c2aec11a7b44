"""Decode records of `LIB_ODEV` as plannings."""

from datetime import UTC, datetime, time, tzinfo
from decimal import Decimal
from typing import Any, Final

import msgspec

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.planning import Execution, Planning, PlanningHeader
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import PlanningState
from supplier_returns.planning.model.warnings import read_codes, warnings_in
from supplier_returns.planning.records.record_list import DECODE_ERRORS, UnreadableRecordError, read_each
from supplier_returns.planning.records.rows import (
    ALLOCATION,
    CLOSING,
    DOCUMENT,
    EXECUTION,
    HEAD,
    LINE,
    PLANNING_STATES,
    RETURN_FIELDS,
    PlanningRow,
    SummaryRow,
    day,
)

_WHOLE: Final = msgspec.json.Decoder(PlanningRow)


def read_planning(body: bytes, zone: tzinfo) -> Planning:
    """Decode a planning with all its rows.

    Args:
        body: record of the ERP as JSON.
        zone: time zone of the ERP's clock.

    Raises:
        UnreadableRecordError: the record differs from what this service writes.
    """
    try:
        return _planning(_WHOLE.decode(body), zone)
    except DECODE_ERRORS as error:
        raise UnreadableRecordError("the record is not a planning as this service writes it") from error


def read_plannings(rows: bytes, zone: tzinfo) -> list[Planning]:
    """Decode the plannings of a list with all their rows, without those that are damaged.

    Raises:
        UnreadableRecordError: the text is not a list, or a record has no key.
    """
    return read_each(rows, lambda record: _planning(_WHOLE.decode(record), zone))


def _planning(whole: Any, zone: tzinfo) -> Planning:
    documents = {row.LineId: _read_document(row) for row in whole.LIB_DEV3Collection}
    parts: dict[int, list[Allocation]] = {row.LineId: [] for row in whole.LIB_DEV1Collection}
    items = {row.LineId: row.U_ItemCode for row in whole.LIB_DEV1Collection}
    for row in whole.LIB_DEV2Collection:
        document = documents.get(row.U_DocRef or 0)
        # A row that refers to a missing line raises a KeyError, so the record counts as damaged.
        parts[row.U_LinRef].append(_read_allocation(row, items[row.U_LinRef], document))
    header = HEAD.read(whole, "header") | RETURN_FIELDS.read(whole, "header")
    # Version 0.1.0 did not require the document date.
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
    """Decode a document. Without warning codes, find the warnings in its message.

    Version 0.1.0 writes messages without codes. After such a write, the stored codes may be older than the
    message. They can only put a document on hold until a person executes it.
    """
    codes = None if row.U_CodAviso is msgspec.UNSET else row.U_CodAviso
    warnings = read_codes(codes) if codes else warnings_in(row.U_Mensaje)
    return SupplierDocument(**DOCUMENT.read(row), warnings=warnings)


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


def is_open(head: SummaryRow) -> bool:
    """Return whether the ERP record is open."""
    return head.Status != "C" and head.Canceled != "Y"


def state_of(head: SummaryRow) -> PlanningState:
    """Return the state of a planning.

    Raises:
        KeyError: the stored letter is not a state.
    """
    return PLANNING_STATES[head.U_Estado or "P"] if is_open(head) else PlanningState.CLOSED


def created_at(head: SummaryRow, zone: tzinfo) -> datetime | None:
    """Return the creation time of the record, if there is one.

    The ERP returns `CreateTime` as `HH:MM:SS` or as a number like 1405; both forms were observed.

    Raises:
        ValueError, OverflowError: the value is not a time.
    """
    if head.CreateDate is None:
        return None
    digits = "".join(filter(str.isdigit, str(head.CreateTime or "")))
    clock = digits[:6] if isinstance(head.CreateTime, str) else digits.zfill(4)
    clock = clock.ljust(6, "0")
    at = time(int(clock[:2]), int(clock[2:4]), int(clock[4:6]))
    return datetime.combine(day(head.CreateDate), at, tzinfo=zone).astimezone(UTC)
