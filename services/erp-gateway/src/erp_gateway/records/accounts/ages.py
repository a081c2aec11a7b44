"""Open amounts of documents by currency and age. No I/O."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Final

from erp_gateway.records.accounts.shapes import Ages, CurrencyAccount
from erp_gateway.records.documents.head import DocumentHead

CREDITS: Final = frozenset({"CreditNotes", "PurchaseCreditNotes"})
"""Documents whose amounts count negative."""

_LIMITS: Final = ((0, "not_due"), (30, "days1_to30"), (60, "days31_to60"), (90, "days61_to90"))


def accounts_of(documents: Iterable[DocumentHead], today: date) -> tuple[CurrencyAccount, ...]:
    """Return the open amounts by currency and age, in the order of the currencies' codes.

    Hidden amounts are None and count nothing. Where the ERP does not say what is paid, the total counts.
    """
    amounts: dict[str | None, dict[str, Decimal]] = {}
    for document in documents:
        amount = document.total if document.open is None else document.open
        if amount is None:
            continue
        signed = -amount if document.resource in CREDITS else amount
        of_currency = amounts.setdefault(document.currency, {})
        age = age_of(document.due_date, today)
        of_currency[age] = of_currency.get(age, Decimal()) + signed
    ordered = sorted(amounts.items(), key=lambda each: each[0] or "")
    return tuple(
        CurrencyAccount(currency=currency, total=sum(ages.values(), Decimal()), ages=Ages(**ages))
        for currency, ages in ordered
    )


def age_of(due_date: str | None, today: date) -> str:
    """Return the name of the age of a due date; one without a date is not due."""
    days = 0 if due_date is None else (today - date.fromisoformat(due_date)).days
    return next((name for limit, name in _LIMITS if days <= limit), "over90")
