"""Values of a new document: texts, numbers, prices, taxes, currencies, bookings."""

from __future__ import annotations

from decimal import Decimal

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
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


def test_an_order_copies_price_tax_and_texts_from_item_and_partner(order: Fields) -> None:
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


def test_the_document_number_comes_from_the_series_and_differs_from_the_key(
    desk: Desk, customer: str, item: str
) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item}]}
    first, second = desk.create("Orders", body), desk.create("Orders", body)
    assert second["DocEntry"] == entry(first) + 1
    assert second["DocNum"] == int(str(first["DocNum"])) + 1
    assert first["DocNum"] != first["DocEntry"]


def test_each_series_has_its_own_numbers(desk: Desk, customer: str, item: str) -> None:
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
def test_each_form_of_a_price_gives_its_line_total(
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


def test_the_exchange_rate_of_a_document_can_be_set(desk: Desk, customer: str, item: str) -> None:
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


def test_an_invoice_clears_the_goods_received_of_its_receipt(
    desk: Desk, supplier: str, item: str, receipt: Fields
) -> None:
    body = {"CardCode": supplier, "DocumentLines": [drawn_from(receipt, 20)]}
    made = desk.create("PurchaseInvoices", body)
    posted = desk.read("JournalEntries", int(str(made["TransNum"])))
    debits = {row["AccountCode"]: row["Debit"] for row in rows_of(posted, "JournalEntryLines")}
    assert debits["2.1.02.001"] == Decimal("30000.0")
    assert debits["1.1.07.001"] == Decimal("5700.0")
    assert quantities(desk, item)[0] == Decimal("150.0")


def test_a_service_invoice_books_an_expense_and_a_discount_a_price_difference(
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


def drawn_from(document: Fields, code: int, quantity: int | None = None) -> dict[str, object]:
    drawn: dict[str, object] = {"BaseType": code, "BaseEntry": document["DocEntry"], "BaseLine": 0}
    return drawn if quantity is None else {**drawn, "Quantity": quantity}
