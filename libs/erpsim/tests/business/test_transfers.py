"""Stock transfers and requests."""

from __future__ import annotations

from decimal import Decimal

import pytest

from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.switches import Switches
from erpsim.desk import Desk


def in_stock(desk: Desk, item: str) -> dict[object, Value]:
    rows = rows_of(desk.read("Items", item), "ItemWarehouseInfoCollection")
    return {row["WarehouseCode"]: row["InStock"] for row in rows}


@pytest.fixture
def transfer(desk: Desk, item: str) -> Fields:
    body = {
        "FromWarehouse": "01",
        "ToWarehouse": "02",
        "StockTransferLines": [{"ItemCode": item, "Quantity": 30}, {"ItemCode": item, "WarehouseCode": "03"}],
    }
    return desk.create("StockTransfers", body)


def entry(document: Fields) -> int:
    value = document["DocEntry"]
    assert isinstance(value, int)
    return value


def test_a_transfer_moves_goods_between_warehouses(desk: Desk, item: str, transfer: Fields) -> None:
    assert in_stock(desk, item) == {"01": Decimal("69.0"), "02": Decimal("30.0"), "03": Decimal("1.0")}
    assert desk.read("Items", item)["QuantityOnStock"] == Decimal("100.0")
    assert transfer["DocumentStatus"] == "bost_Close"


def test_cancelling_a_transfer_moves_the_stock_back_once(desk: Desk, item: str, transfer: Fields) -> None:
    desk.act("StockTransfers", entry(transfer), "Cancel")
    assert in_stock(desk, item)["01"] == Decimal("100.0")
    assert desk.refusal(desk.act, "StockTransfers", entry(transfer), "Cancel").code == -5006
    assert desk.refusal(desk.act, "StockTransfers", entry(transfer) + 1, "Cancel").code == -5006
    assert desk.refusal(desk.act, "StockTransfers", entry(transfer), "Close").code == -5006


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"StockTransferLines": []}, -5002),
        ({"StockTransferLines": [{"ItemCode": "NADA"}]}, -2028),
        ({"StockTransferLines": [{"ItemCode": "TEST-1", "WarehouseCode": "99"}]}, -2028),
        ({"StockTransferLines": [{"ItemCode": "TEST-1", "Quantity": 0}]}, -5002),
        ({"StockTransferLines": [{"ItemCode": "TEST-1", "Quantity": 101}]}, -10),
    ],
)
def test_an_invalid_transfer_is_refused(desk: Desk, item: str, body: Fields, code: int) -> None:
    whole = {"FromWarehouse": "01", "ToWarehouse": "02", **body}
    assert desk.refusal(desk.create, "StockTransfers", whole).code == code
    assert in_stock(desk, item)["01"] == Decimal("100.0")


def test_negative_stock_is_allowed_by_a_switch(desk: Desk, item: str) -> None:
    desk.world.switches = Switches(negative_stock=True)
    lines = [{"ItemCode": item, "Quantity": 101}]
    desk.create("StockTransfers", {"FromWarehouse": "01", "ToWarehouse": "02", "StockTransferLines": lines})
    assert in_stock(desk, item)["01"] == Decimal("-1.0")


def test_a_transfer_accepts_only_texts_and_is_not_removed(desk: Desk, transfer: Fields) -> None:
    desk.change("StockTransfers", entry(transfer), {"Comments": "x", "DocDate": "2026-01-15"})
    assert desk.read("StockTransfers", entry(transfer))["Comments"] == "x"
    for body, code in (
        ({"DocDate": "2026-01-01"}, -1029),
        ({"StockTransferLines": [{"LineNum": 0, "Quantity": 1}]}, -1),
    ):
        assert desk.refusal(desk.change, "StockTransfers", entry(transfer), body).code == code
    assert desk.refusal(desk.delete, "StockTransfers", entry(transfer)).code == -5006
    refusal = desk.refusal(desk.act, "StockTransfers", entry(transfer), "SaveDraftToDocument")
    assert refusal.status == 501


def test_a_transfer_request_moves_no_stock_and_can_be_closed(desk: Desk, item: str) -> None:
    lines = [{"ItemCode": item, "Quantity": 30}]
    body = {"FromWarehouse": "01", "ToWarehouse": "02", "StockTransferLines": lines}
    made = desk.create("InventoryTransferRequests", body)
    assert in_stock(desk, item)["01"] == Decimal("100.0")
    desk.act("InventoryTransferRequests", entry(made), "Close")
    assert desk.read("InventoryTransferRequests", entry(made))["DocumentStatus"] == "bost_Close"
    assert desk.refusal(desk.act, "InventoryTransferRequests", entry(made), "Close").code == -5006
