"""Documents: what they may not be, their actions, their versions."""

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


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ({"CardCode": "X"}, -5002, "Invalid BP code  [ORDR.CardCode] , 'X'"),
        ({"CardCode": "PTEST"}, -5002, "Invalid BP code  [ORDR.CardCode] , 'PTEST'"),
        ({"DocumentLines": [{}]}, -5002, "Item number is missing; specify an item number"),
        ({"DocumentLines": [{"ItemCode": "NADA"}]}, -2028, "No matching records found (ODBC -2028)"),
        ({"DocumentLines": [{"ItemCode": "TEST-1", "WarehouseCode": "99"}]}, -2028, "No matching records"),
        ({"DocumentLines": [{"ItemCode": "TEST-1", "VatGroup": "XX"}]}, -2028, "No matching records"),
        ({"DocumentLines": []}, -5002, "No rows in the document"),
        ({"SalesPersonCode": 77}, -2028, "No matching records"),
        ({"DocCurrency": "XXX"}, -2028, "No matching records"),
        ({"DocumentLines": [{"ItemCode": "TEST-1", "Quantity": 0}]}, -5002, "Enter a quantity greater"),
        ({"DocType": "dDocument_Service"}, -5002, "Enter valid account code  [RDR1.AcctCode][line: 1]"),
        ({"Series": -7}, -2028, "No matching records"),
    ],
)
def test_an_invalid_order_is_refused_with_the_erp_text(
    desk: Desk, customer: str, supplier: str, item: str, body: Fields, code: int, text: str
) -> None:
    whole = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}], **body}
    refusal = desk.refusal(desk.create, "Orders", whole)
    assert (refusal.status, refusal.code) == (400, code)
    assert refusal.text.startswith(text)


def test_the_error_for_a_missing_item_counts_lines_from_one(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}, {"Quantity": 1}]}
    refusal = desk.refusal(desk.create, "Orders", body)
    assert refusal.text.endswith("[DocumentLines.ItemCode][line: 2]")


def test_an_inactive_item_and_an_inactive_partner_are_refused(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]}
    desk.change("Items", item, {"Frozen": "tYES"})
    assert "Item is inactive" in desk.refusal(desk.create, "Orders", body).text
    desk.change("BusinessPartners", customer, {"Frozen": "tYES"})
    assert "partner is inactive" in desk.refusal(desk.create, "Orders", body).text


def test_a_refused_document_leaves_no_trace(desk: Desk, customer: str, item: str) -> None:
    before = (
        len(desk.rows("DeliveryNotes")),
        quantities(desk, item),
        desk.etag("BusinessPartners", customer),
    )
    body = {
        "CardCode": customer,
        "DocumentLines": [{"ItemCode": item, "Quantity": 60}, {"ItemCode": item, "Quantity": 60}],
    }
    refusal = desk.refusal(desk.create, "DeliveryNotes", body)
    assert refusal.text == "Quantity falls into negative inventory  [DLN1.ItemCode][line: 2]"
    after = (len(desk.rows("DeliveryNotes")), quantities(desk, item), desk.etag("BusinessPartners", customer))
    assert after == before


def test_a_branch_is_needed_where_branches_are_on(desk: Desk, customer: str, item: str) -> None:
    desk.world.switches = Switches(branches=True)
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]}
    assert desk.refusal(desk.create, "Orders", body).code == -2028
    assert desk.create("Orders", {**body, "BPL_IDAssignedToInvoice": 1})["BPL_IDAssignedToInvoice"] == 1


def drawn_from(document: Fields, code: int, quantity: int | None = None) -> dict[str, object]:
    drawn: dict[str, object] = {"BaseType": code, "BaseEntry": document["DocEntry"], "BaseLine": 0}
    return drawn if quantity is None else {**drawn, "Quantity": quantity}


def test_a_closed_order_refuses_close_and_cancel(desk: Desk, order: Fields) -> None:
    desk.act("Orders", entry(order), "Close")
    closed = desk.read("Orders", entry(order))
    assert closed["DocumentStatus"] == "bost_Close"
    assert {row["LineStatus"] for row in rows_of(closed, "DocumentLines")} == {"bost_Close"}
    for action in ("Close", "Cancel"):
        refusal = desk.refusal(desk.act, "Orders", entry(order), action)
        assert (refusal.status, refusal.code) == (400, -5006)
        assert refusal.text == "The requested action is not supported for this object."


def test_a_cancelled_order_frees_its_stock_and_stays_cancelled(desk: Desk, item: str, order: Fields) -> None:
    desk.act("Orders", entry(order), "Cancel")
    cancelled = desk.read("Orders", entry(order))
    assert (cancelled["Cancelled"], cancelled["CancelStatus"]) == ("tYES", "csYes")
    assert cancelled["DocumentStatus"] == "bost_Close"
    assert quantities(desk, item)[1] == Decimal("0.0")
    assert desk.refusal(desk.act, "Orders", entry(order), "Reopen").code == -5006


def test_a_closed_order_opens_again(desk: Desk, item: str, order: Fields) -> None:
    desk.act("Orders", entry(order), "Close")
    assert quantities(desk, item)[1] == Decimal("0.0")
    desk.act("Orders", entry(order), "Reopen")
    assert desk.read("Orders", entry(order))["DocumentStatus"] == "bost_Open"
    assert quantities(desk, item)[1] == Decimal("10.0")


def test_an_open_order_can_not_be_reopened(desk: Desk, order: Fields) -> None:
    assert desk.refusal(desk.act, "Orders", entry(order), "Reopen").code == -5006


def test_a_partly_delivered_order_can_not_be_cancelled(desk: Desk, customer: str, order: Fields) -> None:
    desk.create("DeliveryNotes", {"CardCode": customer, "DocumentLines": [drawn_from(order, 17, 1)]})
    assert desk.refusal(desk.act, "Orders", entry(order), "Cancel").code == -5006


def test_cancelling_an_order_reopens_its_quotation(desk: Desk, customer: str, item: str) -> None:
    offer = desk.create("Quotations", {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]})
    ordered = desk.create("Orders", {"CardCode": customer, "DocumentLines": [drawn_from(offer, 23)]})
    assert desk.read("Quotations", entry(offer))["DocumentStatus"] == "bost_Close"
    desk.act("Orders", entry(ordered), "Cancel")
    assert desk.read("Quotations", entry(offer))["DocumentStatus"] == "bost_Open"


def test_cancelling_an_invoice_reverses_its_posting(desk: Desk, customer: str, item: str) -> None:
    invoice = desk.create(
        "Invoices", {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 5}]}
    )
    assert desk.act("Invoices", entry(invoice), "Cancel") is None
    assert desk.read("BusinessPartners", customer)["CurrentAccountBalance"] == Decimal("0.0")
    assert quantities(desk, item)[0] == Decimal("100.0")
    assert desk.refusal(desk.act, "Invoices", entry(invoice), "Cancel").code == -5006


@pytest.mark.parametrize("action", ["Close", "Reopen"])
def test_invoices_are_closed_by_payments_only(desk: Desk, customer: str, item: str, action: str) -> None:
    invoice = desk.create("Invoices", {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]})
    assert desk.refusal(desk.act, "Invoices", entry(invoice), action).code == -5006


def test_a_goods_entry_can_not_be_cancelled(desk: Desk, item: str) -> None:
    made = desk.create("InventoryGenEntries", {"DocumentLines": [{"ItemCode": item, "UnitPrice": 600}]})
    assert desk.refusal(desk.act, "InventoryGenEntries", entry(made), "Cancel").code == -5006
    refusal = desk.refusal(desk.act, "InventoryGenEntries", entry(made), "CreateCancellationDocument")
    assert refusal.code == -5006


def test_documents_can_not_be_removed(desk: Desk, order: Fields) -> None:
    refusal = desk.refusal(desk.delete, "Orders", entry(order))
    assert (refusal.status, refusal.code) == (400, -5006)


def test_a_document_type_without_rules_answers_501(desk: Desk, customer: str) -> None:
    assert desk.refusal(desk.create, "DownPayments", {"CardCode": customer}).status == 501


def test_versions_rise_with_writes_and_not_with_refusals(desk: Desk, order: Fields) -> None:
    first = desk.etag("Orders", entry(order))
    assert first == 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
    desk.refusal(desk.change, "Orders", entry(order), {"NoExiste": 1})
    assert desk.etag("Orders", entry(order)) == first
    desk.change("Orders", entry(order), {"Comments": "a"})
    assert desk.etag("Orders", entry(order)) == 'W/"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"'
    desk.change("Orders", entry(order), {"Comments": "b"})
    assert desk.etag("Orders", entry(order)) == 'W/"77DE68DAECD823BABBB58EDB1C8E14D7106E83BB"'


def test_the_version_of_a_partner_increases_with_its_documents(
    desk: Desk, customer: str, order: Fields
) -> None:
    before = desk.read("BusinessPartners", customer)["DataVersion"]
    desk.change("Orders", entry(order), {"Comments": "a"})
    assert desk.read("BusinessPartners", customer)["DataVersion"] == int(str(before)) + 1
