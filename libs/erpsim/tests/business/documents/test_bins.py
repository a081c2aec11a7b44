"""Goods that leave a warehouse with bin locations."""

from __future__ import annotations

from typing import Any

import pytest

from erpsim.company.exchange import Fields
from erpsim.desk import Desk


@pytest.fixture
def binned(desk: Desk, supplier: str, item: str) -> Fields:
    """A receipt of nine pieces in a warehouse with two bins, out of which nothing goes by itself."""
    warehouse = {"WarehouseCode": "B1", "WarehouseName": "Estantes", "EnableBinLocations": "tYES"}
    desk.create("Warehouses", warehouse)
    for code in ("B1-A", "B1-B"):
        desk.create("BinLocations", {"Warehouse": "B1", "BinCode": code})
    line = {"ItemCode": item, "Quantity": 9, "WarehouseCode": "B1"}
    return desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [line]})


def entries(desk: Desk) -> list[Any]:
    return [row["AbsEntry"] for row in desk.rows("BinLocations", filter="Warehouse eq 'B1'")]


def back(receipt: Fields, *allocations: tuple[Any, int]) -> Fields:
    line: dict[str, Any] = {"BaseType": 20, "BaseEntry": receipt["DocEntry"], "BaseLine": 0, "Quantity": 3}
    if allocations:
        line["DocumentLinesBinAllocations"] = [
            {"BinAbsEntry": entry, "Quantity": quantity, "BaseLineNumber": 0}
            for entry, quantity in allocations
        ]
    return {"CardCode": receipt["CardCode"], "DocumentLines": [line]}


def test_goods_leave_the_bins_that_the_line_names(desk: Desk, binned: Fields) -> None:
    first, second = entries(desk)
    desk.create("PurchaseReturns", back(binned, (first, 1), (second, 2)))


def test_a_document_without_enough_bins_is_refused(desk: Desk, binned: Fields) -> None:
    first, _ = entries(desk)
    for body in (back(binned), back(binned, (first, 2)), back(binned, (first, 4))):
        refusal = desk.refusal(desk.create, "PurchaseReturns", body)
        assert (refusal.status, refusal.code) == (400, -10)
        text = '1470000341 - Fully allocate item "TEST-1" to bin locations in warehouse "B1"'
        assert refusal.text == text


def test_an_unknown_bin_is_refused_with_2028(desk: Desk, binned: Fields) -> None:
    assert desk.refusal(desk.create, "PurchaseReturns", back(binned, (999, 3))).code == -2028


def test_the_allocation_rule_of_the_warehouse_selects_bins(desk: Desk, binned: Fields) -> None:
    desk.change("Warehouses", "B1", {"AutoAllocOnIssue": "whsBinFIFO"})
    desk.create("PurchaseReturns", back(binned))
    first, _ = entries(desk)
    assert desk.refusal(desk.create, "PurchaseReturns", back(binned, (first, 1))).code == -10


def test_a_single_bin_is_selected_by_default(desk: Desk, binned: Fields) -> None:
    _, second = entries(desk)
    desk.delete("BinLocations", second)
    desk.create("PurchaseReturns", back(binned))
