"""Batch and serial numbers of goods that a document moves.

A managed item moves only with a complete selection: its quantities add up to the line's. A line without a
complete selection fails the whole document with -4014 (two integrators' notes). The refusals of numbers that
do not exist or are in another warehouse are assumed.
"""

from __future__ import annotations

from decimal import Decimal

import attrs

from erpsim.business.stock import BATCHES, SERIALS
from erpsim.company.company import Company
from erpsim.company.errors import incomplete_selection, refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_decimal, as_int, normal


@attrs.frozen
class _Managed:
    """Properties by which the ERP manages items by batch or by serial number.

    Args:
        flag: property of the item that turns it on.
        collection: of a line, with its numbers.
        number: property of a row of the collection.
        details_number: property of the entity in `details`.
        details: entity set of the numbers.
        quantities: table of quantities by place.
    """

    flag: str
    collection: str
    number: str
    details_number: str
    details: str
    quantities: str


_BATCH = _Managed("ManageBatchNumbers", "BatchNumbers", "BatchNumber", "Batch", "BatchNumberDetails", BATCHES)
_SERIAL = _Managed(
    "ManageSerialNumbers",
    "SerialNumbers",
    "InternalSerialNumber",
    "SerialNumber",
    "SerialNumberDetails",
    SERIALS,
)


def is_managed(item: Fields) -> bool:
    """Return whether an item moves only with batch or serial numbers."""
    return any(item.get(managed.flag) == "tYES" for managed in (_BATCH, _SERIAL))


def move_numbers(company: Company, item: Fields, line: Fields, quantity: Decimal, place: str) -> None:
    """Move the numbers of a line's goods.

    Args:
        company: the company.
        item: the item's row.
        line: the line, with its selection.
        quantity: moved quantity in inventory units, negative for issues.
        place: end of a refusal.

    Raises:
        SlError: -4014 for an incomplete selection, -10 if a number has too few units.
    """
    for managed in (_BATCH, _SERIAL):
        if item.get(managed.flag) == "tYES":
            _move(company, managed, item, line, quantity, place)


def _move(
    company: Company, managed: _Managed, item: Fields, line: Fields, quantity: Decimal, place: str
) -> None:
    rows = rows_of(line, managed.collection)
    selected = sum((_quantity(managed, row) for row in rows), Decimal(0))
    misplaced = any(row.get("BaseLineNumber") not in {None, line.get("LineNum")} for row in rows)
    if selected != abs(quantity) or misplaced:
        raise incomplete_selection()
    sign = 1 if quantity > 0 else -1
    for row in rows:
        detail = _detail(company, managed, item, row)
        if detail is None:
            if sign < 0 or row.get(managed.number) is None:
                raise incomplete_selection()
            detail = _add_detail(company, managed, item, row[managed.number])
        _change(
            company, managed, detail, str(line.get("WarehouseCode")), _quantity(managed, row) * sign, place
        )


def _quantity(managed: _Managed, row: Fields) -> Decimal:
    return Decimal(1) if managed is _SERIAL else as_decimal(row.get("Quantity"))


def _detail(company: Company, managed: _Managed, item: Fields, row: Fields) -> Fields | None:
    system, text = row.get("SystemSerialNumber"), row.get(managed.number)
    for detail in company.rows(managed.details):
        if detail.get("ItemCode") != item["ItemCode"]:
            continue
        if detail.get(managed.details_number) == text or (
            text is None and system is not None and detail.get("SystemNumber") == system
        ):
            return detail
    return None


def _add_detail(company: Company, managed: _Managed, item: Fields, number: Value) -> Fields:
    system = 1 + max(
        (
            as_int(each.get("SystemNumber"))
            for each in company.rows(managed.details)
            if each.get("ItemCode") == item["ItemCode"]
        ),
        default=0,
    )
    detail: Fields = {
        "DocEntry": company.next_number(managed.details),
        "ItemCode": item["ItemCode"],
        "ItemDescription": item.get("ItemName"),
        managed.details_number: number,
        "SystemNumber": system,
        "AdmissionDate": company.today(),
    }
    company.insert(managed.details, detail)
    return detail


def _change(
    company: Company, managed: _Managed, detail: Fields, warehouse: str, change: Decimal, place: str
) -> None:
    key = (str(detail["ItemCode"]), as_int(detail["SystemNumber"]), warehouse)
    row = company.database.get(managed.quantities, key) or {
        "AbsEntry": detail["DocEntry"],
        "DocEntry": detail["DocEntry"],
        "ItemCode": detail["ItemCode"],
        "SystemNumber": detail["SystemNumber"],
        "WarehouseCode": warehouse,
    }
    remaining = as_decimal(row.get("Quantity")) + change
    if remaining < 0 or (managed is _SERIAL and remaining > 1):
        raise refused(f"Quantity falls into negative inventory  {place}")
    company.database.put(managed.quantities, key, {**row, "Quantity": normal(remaining)})
