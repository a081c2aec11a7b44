"""Payments: means, settled invoices, booking, cancellation."""

from __future__ import annotations

from decimal import Decimal

import pytest

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.desk import Desk


@pytest.fixture
def invoice(desk: Desk, customer: str, item: str) -> Fields:
    """An invoice over 11,900."""
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 10}]}
    return desk.create("Invoices", body)


def pays(invoice: Fields, amount: int | None = None) -> dict[str, object]:
    row: dict[str, object] = {"DocEntry": invoice["DocEntry"], "InvoiceType": "it_Invoice"}
    return row if amount is None else {**row, "SumApplied": amount}


def entry(document: Fields) -> int:
    value = document["DocEntry"]
    assert isinstance(value, int)
    return value


def balance(desk: Desk, partner: str) -> object:
    return desk.read("BusinessPartners", partner)["CurrentAccountBalance"]


def account(desk: Desk, code: str) -> Decimal:
    value = desk.read("ChartOfAccounts", code)["Balance"]
    assert isinstance(value, Decimal)
    return value


def test_a_payment_closes_its_invoice(desk: Desk, customer: str, invoice: Fields) -> None:
    assert balance(desk, customer) == Decimal("11900.0")
    bank = account(desk, "1.1.01.002")
    body = {"CardCode": customer, "TransferSum": 11900, "PaymentInvoices": [pays(invoice)]}
    paid = desk.create("IncomingPayments", body)
    assert desk.read("Invoices", entry(invoice))["DocumentStatus"] == "bost_Close"
    assert balance(desk, customer) == Decimal("0.0")
    assert account(desk, "1.1.01.002") == bank + 11900
    assert rows_of(paid, "PaymentInvoices")[0]["SumApplied"] == Decimal("11900.0")
    assert (paid["DocType"], paid["Cancelled"]) == ("rCustomer", "tNO")
    assert paid["CardName"] == "Cliente de prueba"


def test_a_part_leaves_the_invoice_open(desk: Desk, customer: str, invoice: Fields) -> None:
    body = {"CardCode": customer, "CashSum": 5000, "PaymentInvoices": [pays(invoice, 5000)]}
    desk.create("IncomingPayments", body)
    assert desk.read("Invoices", entry(invoice))["DocumentStatus"] == "bost_Open"
    rest = {"CardCode": customer, "CashSum": 6900, "PaymentInvoices": [pays(invoice)]}
    desk.create("IncomingPayments", rest)
    assert desk.read("Invoices", entry(invoice))["DocumentStatus"] == "bost_Close"


def test_cancelling_opens_the_invoice_again_and_books_back(
    desk: Desk, customer: str, invoice: Fields
) -> None:
    body = {"CardCode": customer, "CashSum": 11900, "PaymentInvoices": [pays(invoice)]}
    paid = desk.create("IncomingPayments", body)
    cash = account(desk, "1.1.01.001")
    assert desk.act("IncomingPayments", entry(paid), "Cancel") is None
    assert desk.read("IncomingPayments", entry(paid))["Cancelled"] == "tYES"
    assert desk.read("Invoices", entry(invoice))["DocumentStatus"] == "bost_Open"
    assert balance(desk, customer) == Decimal("11900.0")
    assert account(desk, "1.1.01.001") == cash - 11900
    for action in ("Cancel", "CancelbyCurrentSystemDate"):
        refusal = desk.refusal(desk.act, "IncomingPayments", entry(paid), action)
        assert (refusal.status, refusal.code) == (400, -5006)


def test_each_cancel_action_uses_its_own_posting_date(desk: Desk, customer: str, invoice: Fields) -> None:
    body = {
        "CardCode": customer,
        "DocDate": "2025-12-01",
        "CashSum": 11900,
        "PaymentInvoices": [pays(invoice)],
    }
    for action, date in (
        ("Cancel", "2025-12-01T00:00:00Z"),
        ("CancelbyCurrentSystemDate", "2026-01-15T00:00:00Z"),
    ):
        paid = desk.create("IncomingPayments", body)
        desk.act("IncomingPayments", entry(paid), action)
        assert desk.rows("JournalEntries")[-1]["ReferenceDate"] == date


def test_a_supplier_payment_posts_in_the_opposite_direction(desk: Desk, supplier: str, item: str) -> None:
    body = {"CardCode": supplier, "DocumentLines": [{"ItemCode": item, "Quantity": 10}]}
    bill = desk.create("PurchaseInvoices", body)
    assert balance(desk, supplier) == Decimal("-7140.0")
    row = {"DocEntry": bill["DocEntry"], "InvoiceType": "18"}
    paid = desk.create(
        "VendorPayments", {"CardCode": supplier, "TransferSum": 7140, "PaymentInvoices": [row]}
    )
    assert paid["DocType"] == "rSupplier"
    assert balance(desk, supplier) == Decimal("0.0")
    assert desk.read("PurchaseInvoices", entry(bill))["DocumentStatus"] == "bost_Close"


def test_a_credit_note_reduces_a_payment(desk: Desk, customer: str, item: str, invoice: Fields) -> None:
    body = {"CardCode": customer, "DocumentLines": [{"ItemCode": item, "Quantity": 1}]}
    credit = desk.create("CreditNotes", body)
    rows = [pays(invoice), {"DocEntry": credit["DocEntry"], "InvoiceType": "it_CredItnote"}]
    desk.create("IncomingPayments", {"CardCode": customer, "CashSum": 10710, "PaymentInvoices": rows})
    assert desk.read("CreditNotes", entry(credit))["DocumentStatus"] == "bost_Close"
    assert balance(desk, customer) == Decimal("0.0")


def test_checks_and_cards_count_as_payment(desk: Desk, customer: str) -> None:
    body = {
        "CardCode": customer,
        "PaymentChecks": [{"CheckSum": 100, "BankCode": "012"}],
        "PaymentCreditCards": [{"CreditSum": 50}],
    }
    paid = desk.create("IncomingPayments", body)
    assert balance(desk, customer) == Decimal("-150.0")
    assert [row["LineNum"] for row in rows_of(paid, "PaymentChecks")] == [0]


def test_a_payment_may_post_to_an_account(desk: Desk) -> None:
    before = account(desk, "5.2.01.001")
    body = {
        "DocType": "rAccount",
        "CashSum": 1000,
        "PaymentAccounts": [{"AccountCode": "5.2.01.001", "SumPaid": 1000}],
    }
    desk.create("VendorPayments", body)
    assert account(desk, "5.2.01.001") == before + 1000


@pytest.mark.parametrize(
    ("change", "status", "code", "text"),
    [
        ({"CardCode": "NADIE"}, 400, -5002, "Invalid BP code  [ORCT.CardCode] , 'NADIE'"),
        ({"CardCode": "P00001"}, 400, -5002, "Invalid BP code  [ORCT.CardCode] , 'P00001'"),
        ({"CashSum": 0}, 400, -5002, "Enter a payment means with an amount"),
        ({"CashSum": 5}, 400, -5002, "The payment is smaller than the sum applied to its invoices"),
        ({"PaymentInvoices": [{"DocEntry": 999999}]}, 400, -2028, "No matching records found (ODBC -2028)"),
        ({"PaymentInvoices": [{"DocEntry": 1}]}, 400, -2028, "No matching records found (ODBC -2028)"),
        (
            {"PaymentInvoices": [{"DocEntry": 1, "InvoiceType": "it_JournalEntry"}]},
            501,
            -1,
            "erpsim does not simulate payments on it_JournalEntry",
        ),
    ],
)
def test_an_invalid_payment_is_refused_and_not_stored(
    desk: Desk, customer: str, invoice: Fields, change: Fields, status: int, code: int, text: str
) -> None:
    before = len(desk.rows("IncomingPayments"))
    body = {"CardCode": customer, "CashSum": 11900, "PaymentInvoices": [pays(invoice)], **change}
    refusal = desk.refusal(desk.create, "IncomingPayments", body)
    assert (refusal.status, refusal.code, refusal.text) == (status, code, text)
    assert len(desk.rows("IncomingPayments")) == before
    assert desk.read("Invoices", entry(invoice))["DocumentStatus"] == "bost_Open"


def test_overpaid_and_closed_invoices_are_refused(desk: Desk, customer: str, invoice: Fields) -> None:
    body = {"CardCode": customer, "CashSum": 20000, "PaymentInvoices": [pays(invoice, 12000)]}
    assert desk.refusal(desk.create, "IncomingPayments", body).code == -10
    whole = {"CardCode": customer, "CashSum": 11900, "PaymentInvoices": [pays(invoice)]}
    desk.create("IncomingPayments", whole)
    refusal = desk.refusal(desk.create, "IncomingPayments", whole)
    assert refusal.text.startswith("Invoice is already closed or blocked")


def test_only_texts_of_a_payment_may_change(desk: Desk, customer: str, invoice: Fields) -> None:
    body = {"CardCode": customer, "CashSum": 11900, "PaymentInvoices": [pays(invoice)]}
    paid = desk.create("IncomingPayments", body)
    desk.change("IncomingPayments", entry(paid), {"Remarks": "recibido"})
    assert desk.read("IncomingPayments", entry(paid))["Remarks"] == "recibido"
    desk.change("IncomingPayments", entry(paid), desk.read("IncomingPayments", entry(paid)))
    for change in ({"CashSum": 1}, {"PaymentInvoices": [{"LineNum": 0, "SumApplied": 1}]}):
        refusal = desk.refusal(desk.change, "IncomingPayments", entry(paid), change)
        assert refusal.code == -1029


def test_a_payment_cannot_be_removed_and_supports_only_cancel(
    desk: Desk, customer: str, invoice: Fields
) -> None:
    paid = desk.create("IncomingPayments", {"CardCode": customer, "CashSum": 1})
    assert desk.refusal(desk.delete, "IncomingPayments", entry(paid)).code == -5006
    refusal = desk.refusal(desk.act, "IncomingPayments", entry(paid), "GetApprovalTemplates")
    assert refusal.status == 501
