"""The customer's own rules."""

from __future__ import annotations

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.notification import Notice, read_notice
from erpsim.company.rows.merging import rows_of
from erpsim.company.switches import Switches
from erpsim.desk import Desk


@pytest.fixture
def body(desk: Desk, supplier: str, item: str) -> Fields:
    bought = {"ItemCode": item, "Quantity": 9}
    receipt = desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [bought]})
    drawn = {"BaseType": 20, "BaseEntry": receipt["DocEntry"], "BaseLine": 0, "Quantity": 1}
    return {"CardCode": supplier, "DocumentLines": [drawn]}


def use(desk: Desk, *rules: str) -> None:
    desk.world.switches = Switches(transaction_notification=frozenset(read_notice(rule) for rule in rules))


def test_a_notification_refusal_has_its_number_and_text_and_stores_nothing(desk: Desk, body: Fields) -> None:
    use(desk, "PurchaseReturns:13000316:Falta el motivo, pídalo a bodega")
    before = len(desk.rows("PurchaseReturns"))
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert (refusal.status, refusal.code) == (400, -1116)
    assert refusal.text == "(13000316) Falta el motivo, pídalo a bodega"
    assert len(desk.rows("PurchaseReturns")) == before
    base = rows_of(body, "DocumentLines")[0]["BaseEntry"]
    assert isinstance(base, int)
    line = rows_of(desk.read("PurchaseDeliveryNotes", base), "DocumentLines")[0]
    assert line["RemainingOpenQuantity"] == line["Quantity"], "its effects are undone too"


def test_a_rule_may_ask_for_a_field(desk: Desk, body: Fields) -> None:
    use(desk, "PurchaseReturns(NumAtCard=):7:Falta la guía")
    assert desk.refusal(desk.create, "PurchaseReturns", body).text == "(7) Falta la guía"
    made = desk.create("PurchaseReturns", {**body, "NumAtCard": "G-1"})
    key = made["DocEntry"]
    assert isinstance(key, int)
    assert desk.refusal(desk.change, "PurchaseReturns", key, {"NumAtCard": None}).text == "(7) Falta la guía"
    assert desk.read("PurchaseReturns", key)["NumAtCard"] == "G-1"


def test_a_notification_rule_applies_only_to_its_own_rows(desk: Desk, supplier: str, body: Fields) -> None:
    use(desk, "PurchaseReturns(CardCode=OTRO):7:No", "PurchaseDeliveryNotes:8:No", "Orders:9:No")
    desk.create("PurchaseReturns", body)
    use(desk, f"PurchaseReturns(CardCode={supplier}):7:No")
    assert desk.refusal(desk.create, "PurchaseReturns", body).text == "(7) No"


def test_a_notification_rule_is_parsed_from_one_line(desk: Desk) -> None:
    assert read_notice("Items:1:a: b, c") == Notice("Items", 1, "a: b, c")
    assert read_notice("Items(U_X=A B):1:x") == Notice("Items", 1, "x", "U_X", "A B")
    for text in ("", "Items", "Items:x:y", "Items:1:", "Items(U_X):1:x"):
        with pytest.raises(ValueError, match="rules like"):
            read_notice(text)
