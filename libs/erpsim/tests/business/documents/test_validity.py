"""Days that can't be posted on, partners and items that can't be used on a day."""

from __future__ import annotations

from datetime import date

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.switches import Switches
from erpsim.desk import Desk


@pytest.fixture
def body(supplier: str, receipt: Fields) -> Fields:
    """A return of two pieces on 15 January 2026, the company's today."""
    drawn = {"BaseType": 20, "BaseEntry": receipt["DocEntry"], "BaseLine": 0, "Quantity": 2}
    return {"CardCode": supplier, "DocumentLines": [drawn]}


def test_a_locked_period_refuses_postings(desk: Desk, body: Fields) -> None:
    desk.world.switches = Switches(locked_periods=frozenset({"2026-01"}))
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert (refusal.status, refusal.code) == (400, -4013)
    assert refusal.text == "Posting period locked; specify an alternative date"
    assert (
        desk.create("PurchaseReturns", {**body, "DocDate": "2026-02-01"})["DocDate"] == "2026-02-01T00:00:00Z"
    )


@pytest.mark.parametrize(
    ("day", "permitted"),
    [("2026-01-09", False), ("2026-01-10", True), ("2026-01-20", True), ("2026-01-21", False)],
)
def test_a_date_outside_the_permitted_range_has_its_own_refusal(
    desk: Desk, body: Fields, day: str, permitted: bool
) -> None:
    desk.world.switches = Switches(first_posting_date=date(2026, 1, 10), last_posting_date=date(2026, 1, 20))
    if permitted:
        desk.create("PurchaseReturns", {**body, "DocDate": day})
        return
    refusal = desk.refusal(desk.create, "PurchaseReturns", {**body, "DocDate": day})
    assert (refusal.status, refusal.code) == (400, -10)
    assert refusal.text == "Date deviates from permissible range  [ORPD.DocDate]"


def test_a_return_in_a_period_that_was_locked_since_can_not_be_cancelled(desk: Desk, body: Fields) -> None:
    made = desk.create("PurchaseReturns", body)
    desk.world.switches = Switches(locked_periods=frozenset({"2026-01"}))
    key = made["DocEntry"]
    assert isinstance(key, int)
    assert desk.refusal(desk.act, "PurchaseReturns", key, "Cancel").code == -4013
    desk.world.switches = Switches()
    desk.act("PurchaseReturns", key, "Cancel")


FROZEN = [
    ({"Frozen": "tYES"}, False),
    ({"Frozen": "tYES", "FrozenFrom": "2026-01-15", "FrozenTo": "2026-01-15"}, False),
    ({"Frozen": "tYES", "FrozenFrom": "2026-01-16"}, True),
    ({"Frozen": "tYES", "FrozenTo": "2026-01-14"}, True),
    ({"Valid": "tYES", "ValidFrom": "2026-01-16"}, False),
    ({"Valid": "tYES", "ValidTo": "2026-01-14"}, False),
    ({"Valid": "tYES", "ValidFrom": "2026-01-15", "ValidTo": "2026-01-15"}, True),
    ({"Valid": "tNO"}, True),
]


@pytest.mark.parametrize(("change", "usable"), FROZEN)
def test_a_frozen_supplier_accepts_no_return(
    desk: Desk, supplier: str, body: Fields, change: Fields, usable: bool
) -> None:
    desk.change("BusinessPartners", supplier, change)
    if usable:
        desk.create("PurchaseReturns", body)
        return
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert (refusal.code, refusal.text) == (-10, "Business partner is inactive  [ORPD.CardCode]")


@pytest.mark.parametrize(("change", "usable"), FROZEN)
def test_a_frozen_item_cannot_be_returned(
    desk: Desk, item: str, body: Fields, change: Fields, usable: bool
) -> None:
    desk.change("Items", item, change)
    if usable:
        desk.create("PurchaseReturns", body)
        return
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert (refusal.code, refusal.text) == (-10, "Item is inactive  [RPD1.ItemCode][line: 1]")
