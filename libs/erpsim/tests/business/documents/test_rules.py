"""Documents: defaults, amounts, lines, status, base documents, actions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from erpsim.business.documents.rules import DocumentRules
from erpsim.business.rules import Operation
from erpsim.company.exchange import Fields, WriteMode
from erpsim.company.rows.merging import rows_of
from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.facts.document_kinds import KINDS
from erpsim.world import World


@pytest.fixture
def order(desk: Desk, customer: str, item: str) -> Fields:
    """An order of 10 pieces in two lines."""
    return desk.create(
        "Orders",
        {
            "CardCode": customer,
            "DocumentLines": [{"ItemCode": item, "Quantity": 4}, {"ItemCode": item, "Quantity": 6}],
        },
    )


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


def quantities(desk: Desk, item: str, warehouse: str = "01") -> tuple[object, object, object]:
    for row in rows_of(desk.read("Items", item), "ItemWarehouseInfoCollection"):
        if row["WarehouseCode"] == warehouse:
            return row["InStock"], row["Committed"], row["Ordered"]
    raise AssertionError(warehouse)


# --- what a new document gets


def test_an_order_takes_price_tax_and_texts_from_item_and_partner(order: Fields) -> None:
    first = line(order)
    assert first["ItemDescription"] == "Artículo de prueba"
    assert first["UnitPrice"] == Decimal("1000.0")
    assert first["VatGroup"] == "IVA"
    assert first["LineTotal"] == Decimal("4000.0")
    assert first["TaxTotal"] == Decimal("760.0")
    assert first["WarehouseCode"] == "01"
    assert first["RemainingOpenQuantity"] == Decimal("4.0")
    assert order["DocTotal"] == Decimal("11900.0")
    assert order["VatSum"] == Decimal("1900.0")
    assert order["CardName"] == "Cliente de prueba"
    assert order["DocumentStatus"] == "bost_Open"
    assert order["DocObjectCode"] == "oOrders"
    assert order["DocDate"] == "2026-01-15T00:00:00Z"
    assert order["DocTime"] == "12:34:00"


def test_lines_are_numbered_from_zero_and_carry_the_documents_key(order: Fields) -> None:
    assert [row["LineNum"] for row in rows_of(order, "DocumentLines")] == [0, 1]
    assert {row["DocEntry"] for row in rows_of(order, "DocumentLines")} == {order["DocEntry"]}


def test_the_number_comes_from_the_series_and_differs_from_the_key(
    desk: Desk, customer: str, item: str
) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]}
    first, second = desk.create("Orders", body), desk.create("Orders", body)
    assert second["DocEntry"] == entry(first) + 1
    assert second["DocNum"] == int(str(first["DocNum"])) + 1
    assert first["DocNum"] != first["DocEntry"]


def test_another_series_gives_its_own_numbers(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "Series": 80, "DocumentLines": [{"ItemCode": item}]}
    assert desk.create("Orders", body)["DocNum"] == 900001


def test_a_handwritten_document_keeps_its_number(desk: Desk, customer: str, item: str) -> None:
    body = {
        "CardCode": customer,
        "HandWritten": "tYES",
        "DocNum": 4711,
        "DocumentLines": [{"ItemCode": item}],
    }
    assert desk.create("Orders", body)["DocNum"] == 4711


def test_a_series_of_another_object_is_refused(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "Series": 82, "DocumentLines": [{"ItemCode": item}]}
    assert desk.refusal(desk.create, "Orders", body).code == -2028


def test_an_invoice_is_due_by_the_partners_terms(desk: Desk, customer: str, item: str) -> None:
    desk.change("BusinessPartners", customer, {"PayTermsGrpCode": 1})
    body = {"CardCode": customer, "DocDate": "2026-01-31", "DocumentLines": [{"ItemCode": item}]}
    assert desk.create("Invoices", body)["DocDueDate"] == "2026-03-02T00:00:00Z"


def test_an_exempt_partner_pays_no_tax(desk: Desk, customer: str, item: str) -> None:
    desk.change("BusinessPartners", customer, {"VatLiable": "vExempted"})
    made = desk.create("Orders", {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 2}]})
    assert line(made)["VatGroup"] == "IVA_EXE"
    assert made["DocTotal"] == Decimal("2000.0")


def test_a_service_line_names_an_account(desk: Desk, customer: str) -> None:
    body = {
        "CardCode": customer,
        "DocType": "dDocument_Service",
        "DocumentLines": [{"ItemDescription": "Flete", "AccountCode": "4.1.01.001", "LineTotal": 5000}],
    }
    made = desk.create("Invoices", body)
    assert line(made)["LineTotal"] == Decimal("5000.0")
    assert made["DocTotal"] == Decimal("5950.0")


# --- prices in their several forms


@pytest.mark.parametrize(
    ("sent", "unit_price", "discount", "total"),
    [
        ({"UnitPrice": 500}, "500.0", "0.0", "1500.0"),
        ({"UnitPrice": 500, "DiscountPercent": 10}, "500.0", "10.0", "1350.0"),
        ({"Price": "450.5"}, "450.5", "0.0", "1352.0"),
        ({"UnitPrice": 500, "Price": 400}, "500.0", "20.0", "1200.0"),
        ({"PriceAfterVAT": 1190}, "1000.0", "0.0", "3000.0"),
        ({"LineTotal": 900}, "300.0", "0.0", "900.0"),
        ({}, "1000.0", "0.0", "3000.0"),
    ],
    ids=["unit-price", "discount", "price", "both-prices", "with-tax", "total", "list-price"],
)
def test_each_form_of_a_price_gives_its_line(
    desk: Desk, customer: str, item: str, sent: Fields, unit_price: str, discount: str, total: str
) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 3, **sent}]}
    made = line(desk.create("Orders", body))
    assert made["UnitPrice"] == Decimal(unit_price)
    assert made["DiscountPercent"] == Decimal(discount)
    assert made["LineTotal"] == Decimal(total)


def test_a_header_discount_lowers_tax_and_total(desk: Desk, customer: str, item: str) -> None:
    body = {
        "CardCode": customer,
        "DiscountPercent": 10,
        "DocumentLines": [{"ItemCode": item, "Quantity": 10}],
    }
    made = desk.create("Orders", body)
    assert made["TotalDiscount"] == Decimal("1000.0")
    assert made["VatSum"] == Decimal("1710.0")
    assert made["DocTotal"] == Decimal("10710.0")


def test_a_wished_total_becomes_a_header_discount(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocTotal": 5950, "DocumentLines": [{"ItemCode": item, "Quantity": 10}]}
    made = desk.create("Orders", body)
    assert made["DiscountPercent"] == Decimal("50.0")
    assert made["DocTotal"] == Decimal("5950.0")


def test_additional_expenses_are_added_with_their_tax(desk: Desk, customer: str, item: str) -> None:
    body = {
        "CardCode": customer,
        "DocumentLines": [{"ItemCode": item, "Quantity": 10}],
        "DocumentAdditionalExpenses": [{"ExpenseCode": 1, "LineTotal": 1000, "VatGroup": "IVA"}],
    }
    made = desk.create("Orders", body)
    assert made["VatSum"] == Decimal("2090.0")
    assert made["DocTotal"] == Decimal("13090.0")


def test_a_foreign_document_has_both_currencies(desk: Desk, customer: str, item: str) -> None:
    desk.change("BusinessPartners", customer, {"Currency": "##"})
    desk.service("SBOBobService_SetCurrencyRate", {"RateDate": "20260115", "Currency": "USD", "Rate": "900"})
    body = {
        "CardCode": customer,
        "DocCurrency": "USD",
        "DocumentLines": [{"ItemCode": item, "Quantity": 3, "UnitPrice": "10.55"}],
    }
    made = desk.create("Orders", body)
    assert line(made)["RowTotalFC"] == Decimal("31.65")
    assert line(made)["LineTotal"] == Decimal("28485.0")
    assert made["DocTotalFc"] == Decimal("37.66")
    assert made["DocTotal"] == Decimal("33894.0")
    assert made["DocRate"] == Decimal("900.0")


def test_the_rate_of_a_document_can_be_given(desk: Desk, customer: str, item: str) -> None:
    body = {
        "CardCode": customer,
        "DocCurrency": "USD",
        "DocRate": "850.5",
        "DocumentLines": [{"ItemCode": item, "Quantity": 2, "RowTotalFC": 20}],
    }
    made = desk.create("Orders", body)
    assert line(made)["UnitPrice"] == Decimal("10.0")
    assert line(made)["LineTotal"] == Decimal("17010.0")


def test_a_list_price_is_turned_into_the_documents_currency(desk: Desk, customer: str) -> None:
    desk.service("SBOBobService_SetCurrencyRate", {"RateDate": "20260115", "Currency": "USD", "Rate": "900"})
    prices = [{"PriceList": 1, "Price": 20, "Currency": "USD"}]
    desk.create("Items", {"ItemCode": "IMPORTADO", "ItemPrices": prices})
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": "IMPORTADO"}]}
    assert line(desk.create("Orders", body))["UnitPrice"] == Decimal("18000.0")
    assert line(desk.create("Orders", {**body, "DocCurrency": "USD"}))["UnitPrice"] == Decimal("20.0")
    desk.change("Items", "IMPORTADO", {"ItemPrices": [{"PriceList": 1, "Price": 1800, "Currency": "CLP"}]})
    assert line(desk.create("Orders", {**body, "DocCurrency": "USD"}))["UnitPrice"] == Decimal("2.0")
    desk.change("BusinessPartners", customer, {"PriceListNum": 2})
    assert line(desk.create("Orders", body))["UnitPrice"] == Decimal("0.0")


def test_an_invoice_books_expenses_and_their_tax(desk: Desk, customer: str, item: str) -> None:
    body = {
        "CardCode": customer,
        "DocumentLines": [{"ItemCode": item, "Quantity": 10}],
        "DocumentAdditionalExpenses": [{"ExpenseCode": 1, "LineTotal": 1000, "VatGroup": "IVA"}],
    }
    made = desk.create("Invoices", body)
    posted = desk.read("JournalEntries", int(str(made["TransNum"])))
    amounts = {
        row["AccountCode"]: (row["Debit"], row["Credit"]) for row in rows_of(posted, "JournalEntryLines")
    }
    assert amounts["1.1.03.001"] == (Decimal("13090.0"), Decimal("0.0"))
    assert amounts["2.1.04.001"] == (Decimal("0.0"), Decimal("2090.0"))
    assert amounts["4.1.01.001"] == (Decimal("0.0"), Decimal("11000.0"))


def test_a_bill_clears_what_its_receipt_left_open(
    desk: Desk, supplier: str, item: str, receipt: Fields
) -> None:
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]}
    made = desk.create("PurchaseInvoices", body)
    posted = desk.read("JournalEntries", int(str(made["TransNum"])))
    debits = {row["AccountCode"]: row["Debit"] for row in rows_of(posted, "JournalEntryLines")}
    assert debits["2.1.02.001"] == Decimal("30000.0")
    assert debits["1.1.07.001"] == Decimal("5700.0")
    assert quantities(desk, item)[0] == Decimal("150.0")


def test_a_bill_for_a_service_is_an_expense_and_a_discount_a_price_difference(
    desk: Desk, supplier: str, item: str
) -> None:
    desk.create("Items", {"ItemCode": "FLETE", "InventoryItem": "tNO"})
    for code, discount, account in (("FLETE", 0, "5.2.01.001"), (item, 10, "5.1.02.001")):
        body = {
            "CardCode": supplier,
            "DiscountPercent": discount,
            "DocumentLines": [{"ItemCode": code, "Quantity": 1, "UnitPrice": 1000}],
        }
        made = desk.create("PurchaseInvoices", body)
        posted = desk.read("JournalEntries", int(str(made["TransNum"])))
        assert account in {row["AccountCode"] for row in rows_of(posted, "JournalEntryLines")}


# --- what a document may not be


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
def test_a_broken_order_is_refused_with_the_real_text(
    desk: Desk, customer: str, supplier: str, item: str, body: Fields, code: int, text: str
) -> None:
    whole = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}], **body}
    refusal = desk.refusal(desk.create, "Orders", whole)
    assert (refusal.status, refusal.code) == (400, code)
    assert refusal.text.startswith(text)


def test_the_line_of_a_missing_item_is_counted_from_one(desk: Desk, customer: str, item: str) -> None:
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


# --- base documents


def drawn_from(document: Fields, code: int, quantity: int | None = None) -> dict[str, object]:
    drawn: dict[str, object] = {"BaseType": code, "BaseEntry": document["DocEntry"], "BaseLine": 0}
    return drawn if quantity is None else {**drawn, "Quantity": quantity}


def test_a_return_takes_everything_from_its_receipt_and_closes_it(
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


def test_the_same_return_twice_meets_a_closed_base(desk: Desk, supplier: str, receipt: Fields) -> None:
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


def test_a_base_of_another_partner_is_refused(desk: Desk, receipt: Fields) -> None:
    desk.create("BusinessPartners", {"CardCode": "POTHER", "CardName": "Otro", "CardType": "cSupplier"})
    body = {"CardCode": "POTHER", "DocumentLines": [drawn_from(receipt, 20)]}
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert refusal.text.startswith("Base document card and target document card do not match.")


def test_a_purchase_order_is_no_base_of_a_return(desk: Desk, supplier: str, item: str) -> None:
    bought = desk.create("PurchaseOrders", {"CardCode": supplier, "DocumentLines": [{"ItemCode": item}]})
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(bought, 22)]}
    assert desk.refusal(desk.create, "PurchaseReturns", body).code == -5002


@pytest.mark.parametrize("wrong", [{"BaseEntry": 999999}, {"BaseLine": 7}], ids=["entry", "line"])
def test_an_unknown_base_is_a_code_that_does_not_exist(
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


def test_two_lines_of_one_return_may_share_a_base_line(desk: Desk, supplier: str, receipt: Fields) -> None:
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


def test_a_delivery_frees_what_its_order_committed(
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


def test_a_purchase_order_is_ordered_until_it_arrives(desk: Desk, supplier: str, item: str) -> None:
    body = {"CardCode": supplier, "DocumentLines": [{"ItemCode": item, "Quantity": 30}]}
    bought = desk.create("PurchaseOrders", body)
    assert quantities(desk, item)[2] == Decimal("30.0")
    desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [drawn_from(bought, 22)]})
    assert quantities(desk, item) == (Decimal("130.0"), Decimal("0.0"), Decimal("0.0"))


def test_a_credit_note_on_an_invoice_settles_it(desk: Desk, customer: str, item: str) -> None:
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


# --- actions


def test_a_closed_order_refuses_close_and_cancel(desk: Desk, order: Fields) -> None:
    desk.act("Orders", entry(order), "Close")
    closed = desk.read("Orders", entry(order))
    assert closed["DocumentStatus"] == "bost_Close"
    assert {row["LineStatus"] for row in rows_of(closed, "DocumentLines")} == {"bost_Close"}
    for action in ("Close", "Cancel"):
        refusal = desk.refusal(desk.act, "Orders", entry(order), action)
        assert (refusal.status, refusal.code) == (400, -5006)
        assert refusal.text == "The requested action is not supported for this object."


def test_a_cancelled_order_frees_its_goods_and_stays_cancelled(desk: Desk, item: str, order: Fields) -> None:
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


def test_cancelling_an_order_gives_back_its_quotation(desk: Desk, customer: str, item: str) -> None:
    offer = desk.create("Quotations", {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]})
    ordered = desk.create("Orders", {"CardCode": customer, "DocumentLines": [drawn_from(offer, 23)]})
    assert desk.read("Quotations", entry(offer))["DocumentStatus"] == "bost_Close"
    desk.act("Orders", entry(ordered), "Cancel")
    assert desk.read("Quotations", entry(offer))["DocumentStatus"] == "bost_Open"


def test_cancelling_an_invoice_books_it_back(desk: Desk, customer: str, item: str) -> None:
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


def test_a_document_without_rules_here_is_refused_loudly(desk: Desk, customer: str) -> None:
    assert desk.refusal(desk.create, "DownPayments", {"CardCode": customer}).status == 501


# --- changes


def test_a_line_without_its_number_overwrites_the_one_at_its_position(desk: Desk, order: Fields) -> None:
    desk.change("Orders", entry(order), {"DocumentLines": [{"Quantity": 9}]})
    after = desk.read("Orders", entry(order))
    assert [row["Quantity"] for row in rows_of(after, "DocumentLines")] == [Decimal("9.0"), Decimal("6.0")]
    assert after["DocTotal"] == Decimal("17850.0")


def test_lines_named_by_number_let_a_new_one_be_added(desk: Desk, item: str, order: Fields) -> None:
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


def test_the_number_of_a_removed_line_is_not_used_again_at_once(desk: Desk, item: str, order: Fields) -> None:
    lines = [{"LineNum": 0}, {"ItemCode": item}]
    desk.change("Orders", entry(order), {"DocumentLines": lines}, replace_collections=True)
    after = desk.read("Orders", entry(order))
    assert [row["LineNum"] for row in rows_of(after, "DocumentLines")] == [0, 2]


def test_a_line_is_closed_by_a_change_that_says_nothing_else(desk: Desk, order: Fields) -> None:
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


def test_sending_back_a_document_as_it_was_read_changes_nothing_but_its_version(
    desk: Desk, order: Fields
) -> None:
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


def test_a_posted_document_takes_texts_and_no_amounts(desk: Desk, supplier: str, receipt: Fields) -> None:
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


def test_lines_of_a_posted_document_can_not_be_replaced_away(desk: Desk, customer: str, item: str) -> None:
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


def test_a_drawn_line_keeps_at_least_what_was_drawn(desk: Desk, customer: str, order: Fields) -> None:
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


def test_another_item_on_a_line_brings_its_own_price_and_text(desk: Desk, order: Fields) -> None:
    prices = [{"PriceList": 1, "Price": 77}]
    desk.create("Items", {"ItemCode": "TEST-2", "ItemName": "Otro", "ItemPrices": prices})
    desk.change("Orders", entry(order), {"DocumentLines": [{"LineNum": 0, "ItemCode": "TEST-2"}]})
    changed = line(desk.read("Orders", entry(order)))
    assert (changed["ItemDescription"], changed["UnitPrice"]) == ("Otro", Decimal("77.0"))
    assert changed["Quantity"] == Decimal("4.0")


def test_a_wished_total_works_on_a_change_too(desk: Desk, order: Fields) -> None:
    desk.change("Orders", entry(order), {"DocTotal": 5950})
    assert desk.read("Orders", entry(order))["DocTotal"] == Decimal("5950.0")


def test_put_resets_what_is_not_sent(desk: Desk, item: str, order: Fields) -> None:
    desk.change("Orders", entry(order), {"Comments": "viejo"})
    body = {"DocumentLines": [{"LineNum": 0, "Quantity": 1}]}
    desk.change("Orders", entry(order), body, mode=WriteMode.REPLACE)
    after = desk.read("Orders", entry(order))
    assert after["Comments"] is None
    assert after["CardCode"] == "CTEST"
    assert [row["LineNum"] for row in rows_of(after, "DocumentLines")] == [0]


def test_put_keeps_what_a_document_can_not_be_without(desk: Desk, order: Fields) -> None:
    body = {"DocDate": "2026-01-10", "DocumentLines": [{"LineNum": 0}]}
    desk.change("Orders", entry(order), body, mode=WriteMode.REPLACE)
    after = desk.read("Orders", entry(order))
    assert (after["DocDate"], after["TaxDate"]) == ("2026-01-10T00:00:00Z", order["TaxDate"])
    assert (after["CardCode"], after["DocNum"]) == (order["CardCode"], order["DocNum"])


def test_no_line_can_be_left_out_of_all(desk: Desk, order: Fields) -> None:
    refusal = desk.refusal(
        desk.change, "Orders", entry(order), {"DocumentLines": []}, replace_collections=True
    )
    assert refusal.code == -5002


def test_another_tax_code_on_a_line_computes_it_anew(desk: Desk, order: Fields) -> None:
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


def test_an_action_beyond_the_simulator_is_refused_loudly(desk: Desk, order: Fields) -> None:
    kind = DocumentRules(KINDS["Orders"])
    at = Operation(desk.world.company, "Orders", "manager")
    assert desk.refusal(kind.act, at, {}, "GetApprovalTemplates").status == 501


# --- versions


def test_versions_rise_with_writes_and_not_with_refusals(desk: Desk, order: Fields) -> None:
    first = desk.etag("Orders", entry(order))
    assert first == 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
    desk.refusal(desk.change, "Orders", entry(order), {"NoExiste": 1})
    assert desk.etag("Orders", entry(order)) == first
    desk.change("Orders", entry(order), {"Comments": "a"})
    assert desk.etag("Orders", entry(order)) == 'W/"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"'
    desk.change("Orders", entry(order), {"Comments": "b"})
    assert desk.etag("Orders", entry(order)) == 'W/"77DE68DAECD823BABBB58EDB1C8E14D7106E83BB"'


def test_a_partners_version_rises_with_its_documents(desk: Desk, customer: str, order: Fields) -> None:
    before = desk.read("BusinessPartners", customer)["DataVersion"]
    desk.change("Orders", entry(order), {"Comments": "a"})
    assert desk.read("BusinessPartners", customer)["DataVersion"] == int(str(before)) + 1


# --- approval


def test_a_held_document_is_refused_and_kept_as_a_draft(
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


def test_a_held_document_inside_a_change_set_leaves_no_draft(
    desk: Desk, warehouse_desk: Desk, supplier: str, receipt: Fields
) -> None:
    desk.world.switches = Switches(approval_procedure=frozenset({"PurchaseReturns"}))
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]}

    def change_set() -> None:
        with desk.world.transaction():
            warehouse_desk.create("PurchaseReturns", body)

    assert desk.refusal(change_set).code == -2028
    assert desk.rows("Drafts") == []


# --- drafts


def test_a_draft_books_nothing_until_it_is_added(desk: Desk, customer: str, item: str) -> None:
    body = {
        "CardCode": customer,
        "DocObjectCode": "oDeliveryNotes",
        "DocumentLines": [{"ItemCode": item, "Quantity": 7}],
    }
    draft = desk.create("Drafts", body)
    assert quantities(desk, item)[0] == Decimal("100.0")
    desk.change("Drafts", entry(draft), {"DocumentLines": [{"LineNum": 0, "Quantity": 8}]})
    before = len(desk.rows("DeliveryNotes"))
    parameters = {"Document": {"DocEntry": str(draft["DocEntry"])}}
    assert desk.service("DraftsService_SaveDraftToDocument", parameters) is None
    assert len(desk.rows("DeliveryNotes")) == before + 1
    assert quantities(desk, item)[0] == Decimal("92.0")
    assert desk.refusal(desk.service, "DraftsService_SaveDraftToDocument", parameters).code == -5006


def test_a_draft_can_be_removed_and_not_closed(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocObjectCode": "17", "DocumentLines": [{"ItemCode": item}]}
    draft = desk.create("Drafts", body)
    assert draft["DocObjectCode"] == "oOrders"
    assert desk.refusal(desk.act, "Drafts", entry(draft), "Close").code == -5006
    desk.delete("Drafts", entry(draft))
    assert desk.refusal(desk.read, "Drafts", entry(draft)).status == 404


def test_a_draft_needs_a_kind_that_is_known(desk: Desk, customer: str, item: str) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]}
    assert desk.refusal(desk.create, "Drafts", body).code == -1004
    strange = {**body, "DocObjectCode": "oDownPayments"}
    assert desk.refusal(desk.create, "Drafts", strange).status == 501


def test_a_preview_computes_and_stores_nothing(desk: Desk, customer: str, item: str) -> None:
    before = len(desk.rows("Orders"))
    document = {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 3}]}
    preview = desk.service("OrdersService_Preview", {"Document": document})
    assert isinstance(preview, dict)
    assert preview["DocTotal"] == Decimal("3570.0")
    assert preview["DocEntry"] is None
    assert len(desk.rows("Orders")) == before
