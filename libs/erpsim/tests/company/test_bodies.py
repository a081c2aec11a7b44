"""Lengths of texts in bodies, on every set and in every row."""

from __future__ import annotations

import pytest

from erpsim.company.exchange import Fields
from erpsim.desk import Desk


def drawn_from(receipt: Fields) -> Fields:
    return {"BaseType": 20, "BaseEntry": receipt["DocEntry"], "BaseLine": 0, "Quantity": 1}


@pytest.mark.parametrize(("name", "length"), [("Comments", 254), ("JournalMemo", 50), ("NumAtCard", 100)])
def test_a_return_accepts_a_text_up_to_the_column_length(
    desk: Desk, supplier: str, item: str, name: str, length: int
) -> None:
    bought = {"ItemCode": item, "Quantity": 9}
    receipt = desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [bought]})
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt)]}
    refusal = desk.refusal(desk.create, "PurchaseReturns", {**body, name: "ñ" * (length + 1)})
    assert (refusal.status, refusal.code) == (400, -5002)
    assert refusal.text == f"Value too long in property '{name}' of 'Document'"
    made = desk.create("PurchaseReturns", {**body, name: "ñ" * length})
    assert made[name] == "ñ" * length


@pytest.mark.parametrize(
    ("set_name", "body", "text"),
    [
        ("BusinessPartners", {"CardCode": "P" * 16}, "'CardCode' of 'BusinessPartner'"),
        ("Items", {"ItemCode": "A" * 51}, "'ItemCode' of 'Item'"),
        ("StockTransfers", {"Comments": "x" * 255}, "'Comments' of 'StockTransfer'"),
        ("IncomingPayments", {"Remarks": "x" * 255}, "'Remarks' of 'Payment'"),
        ("Orders", {"DocumentLines": [{"CostingCode": "SUNFLOWER"}]}, "'CostingCode' of 'DocumentLine'"),
    ],
)
def test_every_set_refuses_texts_longer_than_their_columns(
    desk: Desk, set_name: str, body: Fields, text: str
) -> None:
    assert text in desk.refusal(desk.create, set_name, body).text


def test_a_change_has_the_same_length_limits(desk: Desk, customer: str) -> None:
    refusal = desk.refusal(desk.change, "BusinessPartners", customer, {"CardName": "x" * 101})
    assert refusal.text == "Value too long in property 'CardName' of 'BusinessPartner'"
    desk.change("BusinessPartners", customer, {"CardName": "x" * 100})
