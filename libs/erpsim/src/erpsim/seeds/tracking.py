"""Batch and serial numbers of the seed, with their receipts and locations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.values import normal
from erpsim.seeds.books import Books, Paper
from erpsim.seeds.catalogue import warehouse_code

# Documents that receive managed items. The seed never issues them.
_INCOMING: Final = ("InventoryGenEntries", "PurchaseDeliveryNotes")


def numbers_of(paper: Paper, position: int, managed: str) -> Fields:
    """Return the batch or serial numbers of a line, for its row."""
    line = paper.lines[position]
    if managed == "batch":
        batch: Fields = {
            "BatchNumber": _batch(paper, position),
            "Quantity": normal(line.quantity * line.factor),
            "AddmisionDate": paper.day.isoformat(),
            "BaseLineNumber": position,
        }
        return {"BatchNumbers": [batch]}
    serials: list[Value] = [
        {
            "InternalSerialNumber": _serial(paper, position, unit),
            "Quantity": normal(1),
            "ReceptionDate": paper.day.isoformat(),
            "BaseLineNumber": position,
        }
        for unit in range(line.quantity * line.factor)
    ]
    return {"SerialNumbers": serials}


def detail_rows(books: Books, managed: str) -> list[Fields]:
    """Return the batches (`BatchNumberDetails`) or serial numbers (`SerialNumberDetails`) of all items."""
    name = "Batch" if managed == "batch" else "SerialNumber"
    return [
        {
            "DocEntry": entry,
            "ItemCode": item,
            "ItemDescription": description,
            name: number,
            "SystemNumber": system,
            "AdmissionDate": day,
        }
        for entry, (item, description, number, system, day, _, _) in enumerate(_tracked(books, managed), 1)
    ]


def quantity_rows(books: Books, managed: str) -> list[Fields]:
    """Return the quantities of each batch or serial number by place."""
    return [
        {
            "AbsEntry": entry,
            "DocEntry": entry,
            "ItemCode": item,
            "SystemNumber": system,
            "WarehouseCode": place,
            "Quantity": normal(quantity),
        }
        for entry, (item, _, _, system, _, place, quantity) in enumerate(_tracked(books, managed), 1)
    ]


def _tracked(books: Books, managed: str) -> Iterator[tuple[str, str, str, int, str, str, int]]:
    following: dict[int, int] = {}
    for set_name in _INCOMING:
        for paper in books.papers[set_name]:
            for position, line in enumerate(paper.lines):
                item = books.items[line.item]
                if item.managed != managed:
                    continue
                units = line.quantity * line.factor
                numbers = (
                    [(_batch(paper, position), units)]
                    if managed == "batch"
                    else [(_serial(paper, position, unit), 1) for unit in range(units)]
                )
                for number, quantity in numbers:
                    system = following[line.item] = following.get(line.item, 0) + 1
                    place = warehouse_code(line.place)
                    yield item.code, item.name, number, system, paper.day.isoformat(), place, quantity


def _batch(paper: Paper, position: int) -> str:
    return f"L{paper.day:%y%m%d}-{paper.kind.code}-{paper.entry}-{position}"


def _serial(paper: Paper, position: int, unit: int) -> str:
    return f"S{paper.kind.code}-{paper.entry}-{position}-{unit + 1}"
