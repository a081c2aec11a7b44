"""Sums of documents' amounts by currency."""

from collections.abc import Iterable
from decimal import Decimal

from attrs import frozen

from erp_gateway.records.documents.head import HeadRow


@frozen(kw_only=True)
class CurrencySum:
    """A sum of amounts in one currency; None for the company's own."""

    currency: str | None
    amount: Decimal


def sums_by_currency(amounts: Iterable[tuple[HeadRow, Decimal | None]]) -> tuple[CurrencySum, ...]:
    """Add up amounts that are in the currency of their document, in the order of the currencies' codes.

    Hidden amounts are None and count nothing.
    """
    sums: dict[str | None, Decimal] = {}
    for row, amount in amounts:
        if amount is not None:
            sums[row.doc_currency] = sums.get(row.doc_currency, Decimal()) + amount
    ordered = sorted(sums.items(), key=lambda each: each[0] or "")
    return tuple(CurrencySum(currency=currency, amount=amount) for currency, amount in ordered)
