"""Amounts of documents: pure arithmetic."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from erpsim.business.documents.totals import (
    HUNDRED,
    LineAmounts,
    Rounding,
    discount_for_total,
    discounted,
    document_amounts,
    line_amounts,
    percent_between,
)

_quantities = st.decimals("0.001", 10000, places=3)
_prices = st.decimals(0, 1000000, places=4)
_percents = st.decimals(0, 100, places=2)
_decimals = st.integers(0, 4)


@given(_quantities, _prices, _percents, _percents, _percents, _decimals)
def test_a_line_is_rounded_once_and_taxed_after_the_header_discount(
    quantity: Decimal, price: Decimal, discount: Decimal, tax: Decimal, header: Decimal, decimals: int
) -> None:
    line = line_amounts(quantity, price, discount, tax, header, decimals)
    unit = Decimal(1).scaleb(-decimals)
    assert abs(line.price - price * (HUNDRED - discount) / HUNDRED) <= Decimal("0.0000005")
    assert abs(line.total - quantity * line.price) <= unit / 2
    assert abs(line.tax - line.total * (HUNDRED - header) / HUNDRED * tax / HUNDRED) <= unit / 2
    for amount in (line.total, line.tax):
        assert amount == amount.quantize(unit)


_lines = st.lists(
    st.builds(
        LineAmounts, st.just(Decimal(0)), st.decimals(0, 100000, places=2), st.decimals(0, 19000, places=2)
    ),
    max_size=6,
)
_expenses = st.lists(
    st.tuples(st.decimals(0, 5000, places=2), st.sampled_from([Decimal(0), Decimal(19)])), max_size=2
)


@given(_lines, _expenses, _percents)
def test_a_document_total_is_the_sum_of_its_parts(
    lines: list[LineAmounts], expenses: list[tuple[Decimal, Decimal]], percent: Decimal
) -> None:
    amounts = document_amounts(lines, expenses, percent, 2)
    assert amounts.lines == sum(line.total for line in lines)
    assert amounts.expenses == sum(amount for amount, _ in expenses)
    assert amounts.total == amounts.lines - amounts.discount + amounts.expenses + amounts.tax
    assert abs(amounts.discount - amounts.lines * percent / HUNDRED) <= Decimal("0.005")


@given(
    st.lists(st.tuples(_quantities, st.decimals(1, 10000, places=2)), min_size=1, max_size=5),
    st.decimals("0.05", "1.5", places=4),
)
def test_a_wished_total_is_met_to_the_rounding_of_the_lines(
    lines: list[tuple[Decimal, Decimal]], share: Decimal
) -> None:
    tax = Decimal(19)

    def total(percent: Decimal) -> tuple[Decimal, Decimal]:
        computed = [line_amounts(quantity, price, Decimal(0), tax, percent, 2) for quantity, price in lines]
        amounts = document_amounts(computed, [], percent, 2)
        return amounts.total, sum((line.total + line.tax for line in computed), Decimal(0))

    undiscounted, reducible = total(Decimal(0))
    wished = (undiscounted * share).quantize(Decimal("0.01"))
    plain = document_amounts(
        [line_amounts(quantity, price, Decimal(0), tax, Decimal(0), 2) for quantity, price in lines],
        [],
        Decimal(0),
        2,
    )
    reached, _ = total(discount_for_total(wished, plain, reducible))
    # A percent has six decimals, and each line's tax is rounded.
    assert abs(reached - wished) <= Decimal("0.01") * (len(lines) + 1) + undiscounted / 10**7


def test_the_discount_of_an_empty_document_is_zero() -> None:
    empty = document_amounts([], [], Decimal(0), 0)
    assert discount_for_total(Decimal(100), empty, Decimal(0)) == 0
    assert percent_between(Decimal(0), Decimal(5)) == 0


@given(st.decimals(1, 10000, places=2), _percents)
def test_a_discount_is_recovered_from_its_two_prices(price: Decimal, percent: Decimal) -> None:
    after = discounted(price, percent)
    assert abs(percent_between(price, after) - percent) <= Decimal("0.0001")


@given(st.decimals(0, 100000, places=2), st.decimals("0.5", 40000, places=4))
def test_foreign_amounts_become_local_ones_by_the_rate(amount: Decimal, rate: Decimal) -> None:
    local = Rounding(local=0, document=2, rate=rate).in_local(amount)
    assert abs(local - amount * rate) <= Decimal("0.5")
    assert local == local.to_integral_value()
