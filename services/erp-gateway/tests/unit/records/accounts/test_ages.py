"""Open amounts by currency and age."""

from datetime import date
from decimal import Decimal

import pytest

from erp_gateway.records.accounts.ages import accounts_of, age_of
from erp_gateway.records.accounts.shapes import Ages, CurrencyAccount
from erp_gateway.records.documents.head import DocumentHead

TODAY = date(2026, 3, 2)


def document(resource: str, currency: str | None, open_amount: int | None, **more: object) -> DocumentHead:
    members: dict[str, object] = {"total": Decimal(7), "due_date": None, **more}
    return DocumentHead(
        resource=resource,
        singular=None,
        key="1",
        number=1,
        date=None,
        currency=currency,
        open=None if open_amount is None else Decimal(open_amount),
        state="open",
        path="",
        **members,  # type: ignore[arg-type]  # attributes by name
    )


@pytest.mark.parametrize(
    ("due", "age"),
    [
        (None, "not_due"),
        ("2026-03-02", "not_due"),
        ("2026-03-01", "days1_to30"),
        ("2026-01-31", "days1_to30"),
        ("2026-01-30", "days31_to60"),
        ("2025-12-02", "days61_to90"),
        ("2025-12-01", "over90"),
        ("1999-12-31", "over90"),
    ],
)
def test_the_age_counts_days_since_the_due_date(due: str | None, age: str) -> None:
    assert age_of(due, TODAY) == age


def test_currencies_are_added_up_apart_and_credits_count_negative() -> None:
    documents = [
        document("Invoices", "USD", 5, due_date="2026-03-01"),
        document("CreditNotes", "USD", 2),
        document("Invoices", "CLP", None),
        document("Invoices", None, 1),
        document("Invoices", "EUR", None, total=None),
    ]
    assert accounts_of(documents, TODAY) == (
        CurrencyAccount(currency=None, total=Decimal(1), ages=Ages(not_due=Decimal(1))),
        CurrencyAccount(currency="CLP", total=Decimal(7), ages=Ages(not_due=Decimal(7))),
        CurrencyAccount(
            currency="USD", total=Decimal(3), ages=Ages(not_due=Decimal(-2), days1_to30=Decimal(5))
        ),
    )
