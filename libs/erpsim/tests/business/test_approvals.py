"""Approval procedures."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.world import World


@pytest.fixture
def receipt(desk: Desk, supplier: str, item: str) -> Fields:
    """A goods receipt of 50 pieces at 600."""
    return desk.create(
        "PurchaseDeliveryNotes",
        {"CardCode": supplier, "DocumentLines": [{"ItemCode": item, "Quantity": 50}]},
    )


def line(document: Fields, number: int = 0) -> Fields:
    return next(row for row in rows_of(document, "DocumentLines") if row["LineNum"] == number)


def entry(document: Fields) -> int:
    value = document["DocEntry"]
    assert isinstance(value, int)
    return value


def drawn_from(document: Fields, code: int, quantity: int | None = None) -> dict[str, object]:
    drawn: dict[str, object] = {"BaseType": code, "BaseEntry": document["DocEntry"], "BaseLine": 0}
    return drawn if quantity is None else {**drawn, "Quantity": quantity}


def test_a_document_caught_by_approval_is_refused_and_kept_as_draft(
    make_world: Callable[..., World], desk: Desk, warehouse_desk: Desk, supplier: str, receipt: Fields
) -> None:
    desk.world.switches = Switches(approval_procedure=frozenset({"PurchaseReturns"}))
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]}
    refusal = desk.refusal(warehouse_desk.create, "PurchaseReturns", body)
    assert (refusal.status, refusal.code) == (400, -2028)
    assert line(desk.read("PurchaseDeliveryNotes", entry(receipt)))["RemainingOpenQuantity"] == Decimal(
        "50.0"
    )
    drafts = desk.rows("Drafts", filter="DocObjectCode eq 'oPurchaseReturns'")
    assert [draft["AuthorizationStatus"] for draft in drafts] == ["dasPending"]
    assert desk.create("PurchaseReturns", body)["DocumentStatus"] == "bost_Open"


def test_a_document_caught_by_approval_in_a_change_set_leaves_no_draft(
    desk: Desk, warehouse_desk: Desk, supplier: str, receipt: Fields
) -> None:
    desk.world.switches = Switches(approval_procedure=frozenset({"PurchaseReturns"}))
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]}

    def change_set() -> None:
        with desk.world.transaction():
            warehouse_desk.create("PurchaseReturns", body)

    assert desk.refusal(change_set).code == -2028
    assert desk.rows("Drafts") == []
