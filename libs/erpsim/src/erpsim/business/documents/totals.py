"""Amounts of a document: pure `Decimal` arithmetic, rounded half up to the currency's decimals."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import attrs

from erpsim.company.rows.values import ZERO, normal, rounded

HUNDRED = Decimal(100)
PRICE_DECIMALS = 6


@attrs.frozen
class Rounding:
    """Rounding of a document's amounts.

    Args:
        local: decimals of the local currency.
        document: decimals of the document's currency.
        rate: local money for one unit of the document's currency; 1 for the local one.
    """

    local: int
    document: int
    rate: Decimal

    def in_local(self, amount: Decimal) -> Decimal:
        """Turn an amount of the document's currency into local money."""
        return rounded(amount * self.rate, self.local)


@attrs.frozen
class LineAmounts:
    """Amounts of a line in the document's currency.

    Args:
        price: unit price after the line's discount.
        total: quantity times price, before tax and before the header's discount.
        tax: of the total after the header's discount.
    """

    price: Decimal
    total: Decimal
    tax: Decimal


@attrs.frozen
class DocumentAmounts:
    """Amounts of a document in its currency.

    Args:
        lines: sum of the lines.
        discount: header discount.
        expenses: additional expenses without tax.
        tax: all tax.
        total: amount to pay.
    """

    lines: Decimal
    discount: Decimal
    expenses: Decimal
    tax: Decimal
    total: Decimal


def discounted(price: Decimal, percent: Decimal) -> Decimal:
    """Return a unit price after a discount in percent."""
    return rounded(price * (HUNDRED - percent) / HUNDRED, PRICE_DECIMALS)


def percent_between(before: Decimal, after: Decimal) -> Decimal:
    """Return the discount in percent between two prices, 0 without a price."""
    if not before:
        return ZERO
    return normal((before - after) * HUNDRED / before)


def line_amounts(
    quantity: Decimal,
    unit_price: Decimal,
    discount_percent: Decimal,
    tax_percent: Decimal,
    header_discount_percent: Decimal,
    decimals: int,
) -> LineAmounts:
    """Compute the amounts of one line.

    The total is rounded once, from the unrounded product. Tax is computed on the total after the header
    discount.
    """
    price = discounted(unit_price, discount_percent)
    total = rounded(quantity * price, decimals)
    taxable = total * (HUNDRED - header_discount_percent) / HUNDRED
    return LineAmounts(price, total, rounded(taxable * tax_percent / HUNDRED, decimals))


def document_amounts(
    lines: Iterable[LineAmounts],
    expenses: Iterable[tuple[Decimal, Decimal]],
    header_discount_percent: Decimal,
    decimals: int,
) -> DocumentAmounts:
    """Add up a document's amounts.

    Args:
        lines: as computed.
        expenses: amount and tax percent of each additional expense.
        header_discount_percent: of the lines, not of the expenses.
        decimals: of the document's currency.
    """
    lines = list(lines)
    expenses = list(expenses)
    net = sum((line.total for line in lines), Decimal(0))
    discount = rounded(net * header_discount_percent / HUNDRED, decimals)
    freight = sum((amount for amount, _ in expenses), Decimal(0))
    tax = sum((line.tax for line in lines), Decimal(0)) + sum(
        (rounded(amount * percent / HUNDRED, decimals) for amount, percent in expenses), Decimal(0)
    )
    return DocumentAmounts(
        normal(net), discount, normal(freight), normal(tax), normal(net - discount + freight + tax)
    )


def discount_for_total(total: Decimal, undiscounted: DocumentAmounts, reducible: Decimal) -> Decimal:
    """Return the header discount in percent that yields a requested total.

    Args:
        total: the requested total.
        undiscounted: the document without a header discount.
        reducible: lines and their tax, the part that a header discount reduces.
    """
    if not reducible:
        return ZERO
    return normal((undiscounted.total - total) * HUNDRED / reducible)
