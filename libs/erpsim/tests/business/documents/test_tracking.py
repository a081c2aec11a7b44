"""Items managed by batch or serial number: nothing moves without its numbers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from erpsim.company.errors import SlError
from erpsim.company.exchange import Fields
from erpsim.desk import Desk


@pytest.fixture
def received(desk: Desk, supplier: str) -> Fields:
    """A receipt of ten pieces in two batches and of two serial numbers."""
    desk.create("Items", {"ItemCode": "B", "ManageBatchNumbers": "tYES"})
    desk.create("Items", {"ItemCode": "S", "ManageSerialNumbers": "tYES"})
    batches = [{"BatchNumber": "L1", "Quantity": 6}, {"BatchNumber": "L2", "Quantity": 4}]
    serials = [{"InternalSerialNumber": "S1", "Quantity": 1}, {"InternalSerialNumber": "S2", "Quantity": 1}]
    lines = [
        {"ItemCode": "B", "Quantity": 10, "UnitPrice": 5, "WarehouseCode": "01", "BatchNumbers": batches},
        {"ItemCode": "S", "Quantity": 2, "UnitPrice": 5, "WarehouseCode": "01", "SerialNumbers": serials},
    ]
    return desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": lines})


def send_back(desk: Desk, receipt: Fields, line: int, quantity: int, **numbers: Any) -> Fields:
    row = {
        "BaseType": 20,
        "BaseEntry": receipt["DocEntry"],
        "BaseLine": line,
        "Quantity": quantity,
        **numbers,
    }
    return desk.create("PurchaseReturns", {"CardCode": receipt["CardCode"], "DocumentLines": [row]})


def refused(call: Callable[[], object]) -> SlError:
    with pytest.raises(SlError) as caught:
        call()
    return caught.value


def left(desk: Desk, table: str) -> list[Decimal]:
    rows = desk.world.company.database.table(table)
    return [row["Quantity"] for row in rows if row["ItemCode"] in {"B", "S"}]  # type: ignore[misc]


def test_a_receipt_creates_its_batches_and_serial_numbers(desk: Desk, received: Fields) -> None:
    assert received["DocEntry"]
    found = desk.rows("BatchNumberDetails", filter="ItemCode eq 'B'")
    assert [(row["Batch"], row["SystemNumber"]) for row in found] == [("L1", 1), ("L2", 2)]
    assert left(desk, "$BatchQuantities") == [6, 4]
    assert left(desk, "$SerialQuantities") == [1, 1]


@pytest.mark.parametrize(
    "numbers",
    [
        {},
        {"BatchNumbers": []},
        {"BatchNumbers": [{"BatchNumber": "L1", "Quantity": 2}]},
        {"BatchNumbers": [{"BatchNumber": "NONE", "Quantity": 3}]},
        {"BatchNumbers": [{"BatchNumber": "L1", "Quantity": 3, "BaseLineNumber": 7}]},
    ],
)
def test_an_incomplete_selection_fails_the_document(
    desk: Desk, received: Fields, numbers: dict[str, Any]
) -> None:
    before = len(desk.rows("PurchaseReturns", select="DocEntry"))
    assert refused(lambda: send_back(desk, received, 0, 3, **numbers)).code == -4014
    assert refused(lambda: send_back(desk, received, 1, 1)).code == -4014
    assert left(desk, "$BatchQuantities") == [6, 4]
    assert len(desk.rows("PurchaseReturns", select="DocEntry")) == before


def test_a_batch_cannot_issue_more_than_its_stock(desk: Desk, received: Fields) -> None:
    rows = [{"BatchNumber": "L2", "Quantity": 5, "BaseLineNumber": 0}]
    assert refused(lambda: send_back(desk, received, 0, 5, BatchNumbers=rows)).code == -10


def test_a_return_issues_stock_and_its_cancellation_receives_it(desk: Desk, received: Fields) -> None:
    rows = [{"BatchNumber": "L1", "Quantity": 2}, {"BatchNumber": "L2", "Quantity": 4}]
    made = send_back(desk, received, 0, 6, BatchNumbers=rows)
    assert left(desk, "$BatchQuantities") == [4, 0]
    entry = made["DocEntry"]
    assert isinstance(entry, int)
    desk.act("PurchaseReturns", entry, "Cancel")
    assert left(desk, "$BatchQuantities") == [6, 4]


def test_serial_numbers_are_selected_by_text_or_number_only_once(desk: Desk, received: Fields) -> None:
    send_back(desk, received, 1, 1, SerialNumbers=[{"SystemSerialNumber": 2, "Quantity": 1}])
    assert left(desk, "$SerialQuantities") == [1, 0]
    again = [{"InternalSerialNumber": "S2", "Quantity": 1}]
    assert refused(lambda: send_back(desk, received, 1, 1, SerialNumbers=again)).code == -10


def test_tracked_items_cannot_be_transferred(desk: Desk, received: Fields) -> None:
    assert received["DocEntry"]
    lines = [{"ItemCode": "B", "Quantity": 1}]
    body = {"FromWarehouse": "01", "ToWarehouse": "02", "StockTransferLines": lines}
    assert desk.refusal(desk.create, "StockTransfers", body).status == 501
