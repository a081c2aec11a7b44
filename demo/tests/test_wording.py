"""Numbers and dates as people in Chile write them, and the geometry of the chart."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from comercial_demo import chilean
from comercial_demo.chart import HEIGHT, WIDTH, bar_chart
from hypothesis import given
from hypothesis import strategies as st

BLANK = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (None, "0"),
        (999, "999"),
        (1342379, "1.342.379"),
        (7.5, "7,5"),
        (Decimal("1234.567"), "1.234,57"),
        (Decimal("1234.500"), "1.234,5"),
        (Decimal("-0.001"), "0"),
        (-1500, "-1.500"),
    ],
)
def test_quantities_have_points_for_thousands_and_a_comma_for_decimals(value: object, written: str) -> None:
    assert chilean.quantity(value) == written


@pytest.mark.parametrize(
    ("value", "amount", "price"),
    [
        (Decimal("1250.50"), "1.251", "1.250,50"),
        (Decimal("1250.00"), "1.250", "1.250"),
        (0.1, "0", "0,10"),
    ],
)
def test_amounts_are_whole_pesos_and_prices_may_have_decimals(value: object, amount: str, price: str) -> None:
    assert chilean.pesos(value) == f"${BLANK}{amount}"
    assert chilean.price(value) == f"${BLANK}{price}"


def test_shares_have_one_decimal_and_nothing_has_no_share() -> None:
    assert chilean.percent(1, 8) == f"12,5{BLANK}%"
    assert chilean.percent(-1, 8) == f"-12,5{BLANK}%"
    assert chilean.percent(1, 0) == "\N{EN DASH}"


@pytest.mark.parametrize(
    "value", [date(2025, 1, 4), datetime(2025, 1, 4, 9, 7, tzinfo=UTC), "2025-01-04 00:00:00"]
)
def test_days_of_every_engine_have_one_format(value: object) -> None:
    assert chilean.day(value) == "04-01-2025"
    assert chilean.long_day(value) == "4 de enero de 2025"


def test_months_and_tax_numbers() -> None:
    assert chilean.month("2025-09") == "septiembre de 2025"
    assert chilean.month("2025-09", short=True) == "sep 25"
    assert chilean.rut("76543210-3") == "76.543.210-3"
    assert chilean.rut("7954508-K") == "7.954.508-K"
    assert (chilean.rut("EXTRANJERO"), chilean.rut(None), chilean.day(None)) == ("EXTRANJERO", "", "")


amounts = st.decimals(-(10**6), 10**12, places=2)


@given(st.lists(amounts, max_size=40))
def test_bars_stay_inside_the_chart_and_keep_their_proportions(values: list[Decimal]) -> None:
    chart = bar_chart([(str(number), value) for number, value in enumerate(values)])
    assert len(chart.bars) == len(values)
    for bar, value in zip(chart.bars, values, strict=True):
        assert chart.left <= bar.x
        assert bar.x + bar.width <= WIDTH + 0.1
        assert bar.y >= 0
        assert bar.y + bar.height <= HEIGHT
        assert (bar.height == 0) or value > 0
    ordered = sorted(chart.bars, key=lambda bar: bar.value)
    assert [bar.height for bar in ordered] == sorted(bar.height for bar in ordered)
    assert chart.lines[-1].value >= max(values, default=Decimal(0))
    assert 2 <= len(chart.lines) <= 6
    assert [line.y for line in chart.lines] == sorted((line.y for line in chart.lines), reverse=True)
