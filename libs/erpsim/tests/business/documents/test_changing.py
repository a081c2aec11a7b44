"""Changes to documents and their lines."""

from __future__ import annotations

from decimal import Decimal

import pytest

from erpsim.business.documents.rules import DocumentRules
from erpsim.business.rules import Operation
from erpsim.company.exchange import Fields, WriteMode
from erpsim.company.rows.merging import rows_of
from erpsim.desk import Desk
from erpsim.facts.document_kinds import KINDS


def line(document: Fields, number: int = 0) -> Fields:
    return next(row for row in rows_of(document, "DocumentLines") if row["LineNum"] == number)


def entry(document: Fields) -> int:
    value = document["DocEntry"]
    assert isinstance(value, int)
    return value


def quantities(desk: Desk, item: str, warehouse: str = "01") -> tuple[object, object, object]:
    for row in rows_of(desk.read("Items", item), "ItemWarehouseInfoCollection"):
        if row["WarehouseCode"] == warehouse:
            return row["InStock"], row["Committed"], row["Ordered"]
    raise AssertionError(warehouse)


def drawn_from(document: Fields, code: int, quantity: int | None = None) -> dict[str, object]:
    drawn: dict[str, object] = {"BaseType": code, "BaseEntry": document["DocEntry"], "BaseLine": 0}
    return drawn if quantity is None else {**drawn, "Quantity": quantity}


def test_a_line_without_number_overwrites_the_line_at_its_position(desk: Desk, order: Fields) -> None:
    desk.change("Orders", entry(order), {"DocumentLines": [{"Quantity": 9}]})
    after = desk.read("Orders", entry(order))
    assert [row["Quantity"] for row in rows_of(after, "DocumentLines")] == [Decimal("9.0"), Decimal("6.0")]
    assert after["DocTotal"] == Decimal("17850.0")


def test_a_line_is_added_if_all_lines_are_numbered(desk: Desk, item: str, order: Fields) -> None:
    lines = [{"LineNum": 0}, {"LineNum": 1}, {"ItemCode": item, "Quantity": 5}]
    desk.change("Orders", entry(order), {"DocumentLines": lines})
    after = desk.read("Orders", entry(order))
    assert [row["LineNum"] for row in rows_of(after, "DocumentLines")] == [0, 1, 2]
    assert quantities(desk, item)[1] == Decimal("15.0")


def test_lines_not_sent_stay_unless_collections_are_replaced(desk: Desk, item: str, order: Fields) -> None:
    body = {"DocumentLines": [{"LineNum": 1, "Quantity": 2}]}
    desk.change("Orders", entry(order), body)
    assert len(rows_of(desk.read("Orders", entry(order)), "DocumentLines")) == 2
    desk.change("Orders", entry(order), body, replace_collections=True)
    after = desk.read("Orders", entry(order))
    assert [row["LineNum"] for row in rows_of(after, "DocumentLines")] == [1]
    assert after["DocTotal"] == Decimal("2380.0")
    assert quantities(desk, item)[1] == Decimal("2.0")


def test_the_number_of_a_removed_line_is_not_reused(desk: Desk, item: str, order: Fields) -> None:
    lines = [{"LineNum": 0}, {"ItemCode": item}]
    desk.change("Orders", entry(order), {"DocumentLines": lines}, replace_collections=True)
    after = desk.read("Orders", entry(order))
    assert [row["LineNum"] for row in rows_of(after, "DocumentLines")] == [0, 2]


def test_a_line_is_closed_only_by_a_change_of_its_status(desk: Desk, order: Fields) -> None:
    closing = {"DocumentLines": [{"LineNum": 1, "LineStatus": "bost_Close"}]}
    refusal = desk.refusal(desk.change, "Orders", entry(order), {**closing, "Comments": "x"})
    assert refusal.code == -5002
    assert refusal.text.startswith("Document rows cannot be closed concurrently with the other document")
    with_quantity = {"DocumentLines": [{"LineNum": 1, "LineStatus": "bost_Close", "Quantity": 1}]}
    assert desk.refusal(desk.change, "Orders", entry(order), with_quantity).code == -5002
    desk.change("Orders", entry(order), closing)
    after = desk.read("Orders", entry(order))
    assert line(after, 1)["LineStatus"] == "bost_Close"
    assert after["DocumentStatus"] == "bost_Open"


def test_closing_the_last_line_closes_the_document(desk: Desk, item: str, order: Fields) -> None:
    lines = [{"LineNum": number, "LineStatus": "bost_Close"} for number in (0, 1)]
    desk.change("Orders", entry(order), {"DocumentLines": lines})
    assert desk.read("Orders", entry(order))["DocumentStatus"] == "bost_Close"
    assert quantities(desk, item)[1] == Decimal("0.0")


def test_writing_back_a_document_changes_only_its_version(desk: Desk, order: Fields) -> None:
    before = desk.read("Orders", entry(order))
    desk.change("Orders", entry(order), before)
    after = desk.read("Orders", entry(order))
    assert after.pop("DataVersion") == 2
    before.pop("DataVersion")
    assert after == before


@pytest.mark.parametrize(
    "body",
    [{"CardCode": "C00001"}, {"DocType": "dDocument_Service"}, {"Series": 80}, {"DocNum": 5}],
    ids=["partner", "type", "series", "number"],
)
def test_some_fields_of_an_order_are_fixed(desk: Desk, order: Fields, body: Fields) -> None:
    refusal = desk.refusal(desk.change, "Orders", entry(order), body)
    assert (refusal.status, refusal.code) == (400, -1029)
    assert refusal.text == "Field cannot be updated (ODBC -1029)"


def test_a_posted_document_accepts_texts_and_no_amounts(desk: Desk, supplier: str, receipt: Fields) -> None:
    desk.change("PurchaseDeliveryNotes", entry(receipt), {"Comments": "revisado", "U_CANAL": "WEB"})
    assert desk.read("PurchaseDeliveryNotes", entry(receipt))["Comments"] == "revisado"
    lines = {"DocumentLines": [{"LineNum": 0, "FreeText": "dañado"}]}
    desk.change("PurchaseDeliveryNotes", entry(receipt), lines)
    for body in (
        {"DocDate": "2026-01-01"},
        {"DocumentLines": [{"LineNum": 0, "Quantity": 1}]},
        {"DocumentLines": [{"LineNum": 0}, {"ItemCode": "TEST-1"}]},
    ):
        assert desk.refusal(desk.change, "PurchaseDeliveryNotes", entry(receipt), body).code == -1029


def test_lines_of_a_posted_document_cannot_be_removed(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}, {"ItemCode": item}]}
    made = desk.create("DeliveryNotes", body)
    assert (
        desk.refusal(
            desk.change,
            "DeliveryNotes",
            entry(made),
            {"DocumentLines": [{"LineNum": 0}]},
            replace_collections=True,
        ).code
        == -1029
    )


def test_a_line_keeps_at_least_its_drawn_quantity(desk: Desk, customer: str, order: Fields) -> None:
    desk.create("DeliveryNotes", {"CardCode": customer, "DocumentLines": [drawn_from(order, 17, 3)]})
    less = {"DocumentLines": [{"LineNum": 0, "Quantity": 2}]}
    assert desk.refusal(desk.change, "Orders", entry(order), less).code == -1029
    gone = {"DocumentLines": [{"LineNum": 1}]}
    assert desk.refusal(desk.change, "Orders", entry(order), gone, replace_collections=True).code == -1029
    desk.change("Orders", entry(order), {"DocumentLines": [{"LineNum": 0, "Quantity": 8}]})
    assert line(desk.read("Orders", entry(order)))["RemainingOpenQuantity"] == Decimal("5.0")


def test_a_closed_line_can_not_change(desk: Desk, order: Fields) -> None:
    desk.change("Orders", entry(order), {"DocumentLines": [{"LineNum": 0, "LineStatus": "bost_Close"}]})
    change = {"DocumentLines": [{"LineNum": 0, "Quantity": 2}]}
    assert desk.refusal(desk.change, "Orders", entry(order), change).code == -1029
    desk.change("Orders", entry(order), {"DocumentLines": [{"LineNum": 0, "FreeText": "anulada"}]})
    assert line(desk.read("Orders", entry(order)))["FreeText"] == "anulada"


def test_a_changed_item_brings_its_own_price_and_text(desk: Desk, order: Fields) -> None:
    prices = [{"PriceList": 1, "Price": 77}]
    desk.create("Items", {"ItemCode": "TEST-2", "ItemName": "Otro", "ItemPrices": prices})
    desk.change("Orders", entry(order), {"DocumentLines": [{"LineNum": 0, "ItemCode": "TEST-2"}]})
    changed = line(desk.read("Orders", entry(order)))
    assert (changed["ItemDescription"], changed["UnitPrice"]) == ("Otro", Decimal("77.0"))
    assert changed["Quantity"] == Decimal("4.0")


def test_a_requested_total_applies_to_a_change(desk: Desk, order: Fields) -> None:
    desk.change("Orders", entry(order), {"DocTotal": 5950})
    assert desk.read("Orders", entry(order))["DocTotal"] == Decimal("5950.0")


def test_put_resets_unsent_document_fields(desk: Desk, item: str, order: Fields) -> None:
    desk.change("Orders", entry(order), {"Comments": "viejo"})
    body = {"DocumentLines": [{"LineNum": 0, "Quantity": 1}]}
    desk.change("Orders", entry(order), body, mode=WriteMode.REPLACE)
    after = desk.read("Orders", entry(order))
    assert after["Comments"] is None
    assert after["CardCode"] == "CTEST"
    assert [row["LineNum"] for row in rows_of(after, "DocumentLines")] == [0]


def test_put_keeps_mandatory_document_fields(desk: Desk, order: Fields) -> None:
    body = {"DocDate": "2026-01-10", "DocumentLines": [{"LineNum": 0}]}
    desk.change("Orders", entry(order), body, mode=WriteMode.REPLACE)
    after = desk.read("Orders", entry(order))
    assert (after["DocDate"], after["TaxDate"]) == ("2026-01-10T00:00:00Z", order["TaxDate"])
    assert (after["CardCode"], after["DocNum"]) == (order["CardCode"], order["DocNum"])


def test_all_lines_cannot_be_removed(desk: Desk, order: Fields) -> None:
    refusal = desk.refusal(
        desk.change, "Orders", entry(order), {"DocumentLines": []}, replace_collections=True
    )
    assert refusal.code == -5002


def test_a_changed_tax_code_recomputes_the_line(desk: Desk, order: Fields) -> None:
    desk.change("Orders", entry(order), {"DocumentLines": [{"LineNum": 0, "TaxCode": "IVA_EXE"}]})
    after = desk.read("Orders", entry(order))
    assert (line(after)["VatGroup"], line(after)["TaxTotal"]) == ("IVA_EXE", Decimal("0.0"))
    assert after["DocTotal"] == Decimal("11140.0")


def test_texts_of_a_line_change_without_new_prices(desk: Desk, order: Fields) -> None:
    desk.change("Items", "TEST-1", {"ItemPrices": [{"PriceList": 1, "Price": 5}]})
    lines = [{"LineNum": 0, "FreeText": "frágil"}, {"LineNum": 1, "Quantity": 7}]
    desk.change("Orders", entry(order), {"DocumentLines": lines})
    after = desk.read("Orders", entry(order))
    assert line(after)["FreeText"] == "frágil"
    assert line(after, 1)["LineTotal"] == Decimal("7000.0")


def test_the_base_of_a_line_can_not_be_changed_afterwards(desk: Desk, order: Fields) -> None:
    for change in ({"BaseType": 23, "BaseEntry": 1, "BaseLine": 0}, {"LineStatus": "bost_Paid"}):
        body = {"DocumentLines": [{"LineNum": 0, **change}]}
        assert desk.refusal(desk.change, "Orders", entry(order), body).code == -1029


def test_an_unsimulated_action_answers_501(desk: Desk, order: Fields) -> None:
    kind = DocumentRules(KINDS["Orders"])
    at = Operation(desk.world.company, "Orders", "manager")
    assert desk.refusal(kind.act, at, {}, "GetApprovalTemplates").status == 501
