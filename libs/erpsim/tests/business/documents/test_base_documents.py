"""Documents drawn from others."""

from __future__ import annotations

from decimal import Decimal

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.switches import Switches
from erpsim.desk import Desk


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


def test_a_return_copies_its_receipt_and_closes_it(
    desk: Desk, supplier: str, item: str, receipt: Fields
) -> None:
    made = desk.create("PurchaseReturns", {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]})
    assert line(made)["ItemCode"] == item
    assert line(made)["Quantity"] == Decimal("50.0")
    assert line(made)["UnitPrice"] == Decimal("600.0")
    after = desk.read("PurchaseDeliveryNotes", entry(receipt))
    assert line(after)["RemainingOpenQuantity"] == Decimal("0.0")
    assert line(after)["LineStatus"] == "bost_Close"
    assert after["DocumentStatus"] == "bost_Close"
    assert quantities(desk, item)[0] == Decimal("100.0")


def test_a_partial_return_leaves_the_rest_open(desk: Desk, supplier: str, receipt: Fields) -> None:
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20, 20)]}
    desk.create("PurchaseReturns", body)
    after = desk.read("PurchaseDeliveryNotes", entry(receipt))
    assert line(after)["RemainingOpenQuantity"] == Decimal("30.0")
    assert after["DocumentStatus"] == "bost_Open"


def test_repeating_a_return_fails_with_a_closed_base(desk: Desk, supplier: str, receipt: Fields) -> None:
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]}
    desk.create("PurchaseReturns", body)
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert (refusal.status, refusal.code) == (400, -10)
    assert refusal.text == "One of the base documents has already been closed  [RPD1.BaseEntry][line: 1]"


def test_a_closed_header_refuses_lines_that_still_show_open(
    desk: Desk, supplier: str, item: str, receipt: Fields
) -> None:
    desk.act("PurchaseDeliveryNotes", entry(receipt), "Close")
    after = desk.read("PurchaseDeliveryNotes", entry(receipt))
    assert line(after)["RemainingOpenQuantity"] == Decimal("50.0")
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]}
    assert "already been closed" in desk.refusal(desk.create, "PurchaseReturns", body).text


def test_a_base_document_of_another_partner_is_refused(desk: Desk, receipt: Fields) -> None:
    desk.create("BusinessPartners", {"CardCode": "POTHER", "CardName": "Otro", "CardType": "cSupplier"})
    body = {"CardCode": "POTHER", "DocumentLines": [drawn_from(receipt, 20)]}
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert refusal.text.startswith("Base document card and target document card do not match.")


def test_a_purchase_order_is_no_base_of_a_return(desk: Desk, supplier: str, item: str) -> None:
    bought = desk.create("PurchaseOrders", {"CardCode": supplier, "DocumentLines": [{"ItemCode": item}]})
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(bought, 22)]}
    assert desk.refusal(desk.create, "PurchaseReturns", body).code == -5002


@pytest.mark.parametrize("wrong", [{"BaseEntry": 999999}, {"BaseLine": 7}], ids=["entry", "line"])
def test_an_unknown_base_document_is_refused_with_2028(
    desk: Desk, supplier: str, receipt: Fields, wrong: Fields
) -> None:
    body = {"CardCode": supplier, "DocumentLines": [{**drawn_from(receipt, 20), **wrong}]}
    assert desk.refusal(desk.create, "PurchaseReturns", body).code == -2028


def test_more_than_is_open_depends_on_the_switch(desk: Desk, supplier: str, receipt: Fields) -> None:
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20, 60)]}
    assert desk.refusal(desk.create, "PurchaseReturns", body).code == -10
    desk.world.switches = Switches(over_base_quantity=True)
    desk.create("PurchaseReturns", body)
    assert desk.read("PurchaseDeliveryNotes", entry(receipt))["DocumentStatus"] == "bost_Close"


def test_two_lines_of_a_return_may_share_a_base_line(desk: Desk, supplier: str, receipt: Fields) -> None:
    lines = [drawn_from(receipt, 20, 20), drawn_from(receipt, 20, 30)]
    desk.create("PurchaseReturns", {"CardCode": supplier, "DocumentLines": lines})
    assert desk.read("PurchaseDeliveryNotes", entry(receipt))["DocumentStatus"] == "bost_Close"


def test_cancelling_a_return_opens_the_receipt_again(
    desk: Desk, supplier: str, item: str, receipt: Fields
) -> None:
    made = desk.create("PurchaseReturns", {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]})
    cancellation = desk.act("PurchaseReturns", entry(made), "CreateCancellationDocument")
    assert cancellation is not None
    assert cancellation["CancelStatus"] == "csCancellation"
    assert line(cancellation)["BaseEntry"] == made["DocEntry"]
    assert desk.read("PurchaseReturns", entry(made))["CancelStatus"] == "csYes"
    after = desk.read("PurchaseDeliveryNotes", entry(receipt))
    assert line(after)["RemainingOpenQuantity"] == Decimal("50.0")
    assert after["DocumentStatus"] == "bost_Open"
    assert quantities(desk, item)[0] == Decimal("150.0")


def test_a_delivery_frees_the_committed_quantity_of_its_order(
    desk: Desk, customer: str, item: str, order: Fields
) -> None:
    assert quantities(desk, item) == (Decimal("100.0"), Decimal("10.0"), Decimal("0.0"))
    body = {"CardCode": customer, "DocumentLines": [drawn_from(order, 17, 3)]}
    desk.create("DeliveryNotes", body)
    assert quantities(desk, item) == (Decimal("97.0"), Decimal("7.0"), Decimal("0.0"))


def test_an_invoice_drawn_from_a_delivery_moves_no_goods(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 5}]}
    delivery = desk.create("DeliveryNotes", body)
    desk.create("Invoices", {"CardCode": customer, "DocumentLines": [drawn_from(delivery, 15)]})
    assert quantities(desk, item)[0] == Decimal("95.0")
    assert desk.read("DeliveryNotes", entry(delivery))["DocumentStatus"] == "bost_Close"


def test_a_purchase_order_counts_as_ordered_until_delivery(desk: Desk, supplier: str, item: str) -> None:
    body = {"CardCode": supplier, "DocumentLines": [{"ItemCode": item, "Quantity": 30}]}
    bought = desk.create("PurchaseOrders", body)
    assert quantities(desk, item)[2] == Decimal("30.0")
    desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [drawn_from(bought, 22)]})
    assert quantities(desk, item) == (Decimal("130.0"), Decimal("0.0"), Decimal("0.0"))


def test_a_credit_note_on_an_invoice_closes_it(desk: Desk, customer: str, item: str) -> None:
    invoice = desk.create(
        "Invoices", {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 2}]}
    )
    credit = desk.create("CreditNotes", {"CardCode": customer, "DocumentLines": [drawn_from(invoice, 13)]})
    assert desk.read("Invoices", entry(invoice))["DocumentStatus"] == "bost_Close"
    assert credit["DocumentStatus"] == "bost_Close"
    assert desk.read("BusinessPartners", customer)["CurrentAccountBalance"] == Decimal("0.0")
    desk.act("CreditNotes", entry(credit), "Cancel")
    assert desk.read("Invoices", entry(invoice))["DocumentStatus"] == "bost_Open"
    assert desk.read("BusinessPartners", customer)["CurrentAccountBalance"] == Decimal("2380.0")
