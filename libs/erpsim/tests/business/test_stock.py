"""Quantities and average costs of items."""

from __future__ import annotations

from decimal import Decimal

from erpsim.company.rows.merging import rows_of
from erpsim.desk import Desk


def test_a_receipt_changes_the_average_cost(desk: Desk, supplier: str, item: str) -> None:
    line = {"ItemCode": item, "Quantity": 100, "UnitPrice": 700}
    desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [line]})
    assert desk.read("Items", item)["MovingAveragePrice"] == Decimal("650.0")
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": item, "Quantity": 2}]}
    desk.create("DeliveryNotes", body)
    posted = rows_of(desk.rows("JournalEntries")[-1], "JournalEntryLines")
    assert {str(row["AccountCode"]): row["Debit"] for row in posted if row["Debit"]} == {
        "5.1.01.001": Decimal("1300.0")
    }


def test_a_service_item_moves_no_stock(desk: Desk) -> None:
    desk.create("Items", {"ItemCode": "FLETE", "InventoryItem": "tNO"})
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "FLETE", "UnitPrice": 10}]}
    desk.create("DeliveryNotes", body)
    desk.create("Orders", body)
    assert desk.read("Items", "FLETE")["QuantityOnStock"] == Decimal("0.0")
    assert desk.read("Items", "FLETE")["QuantityOrderedByCustomers"] == Decimal("0.0")
