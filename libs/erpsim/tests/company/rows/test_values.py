"""Typed values and their one normal form."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.company.rows.values import (
    normal,
    parse_date,
    parse_integer,
    parse_number,
    parse_time,
    rounded,
)


@given(st.decimals(-(10**14), 10**14, allow_nan=False, allow_infinity=False))
def test_a_number_is_shown_with_a_decimal_and_no_trailing_zeros(number: Decimal) -> None:
    shown = str(normal(number))
    assert "E" not in shown
    whole, point, fraction = shown.partition(".")
    assert point
    assert 1 <= len(fraction) <= 6
    assert fraction == "0" or not fraction.endswith("0")
    assert abs(Decimal(shown) - number) <= Decimal("0.0000005")
    assert normal(normal(number)) == normal(number)
    assert str(normal(normal(number))) == shown
    assert whole.lstrip("-").isdigit()


@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 999999))
def test_six_decimals_are_parsed_exactly(whole: int, millionths: int) -> None:
    text = f"{whole}.{millionths:06d}"
    number = parse_number(text)
    assert number is not None
    assert Decimal(str(number)) == Decimal(text)


@pytest.mark.parametrize(
    ("number", "decimals", "expected"),
    [
        ("0.5", 0, "1.0"),
        ("1.5", 0, "2.0"),
        ("2.5", 0, "3.0"),
        ("-2.5", 0, "-3.0"),
        ("2.345", 2, "2.35"),
        ("2.344", 2, "2.34"),
    ],
)
def test_amounts_are_rounded_half_up(number: str, decimals: int, expected: str) -> None:
    assert str(rounded(Decimal(number), decimals)) == expected


@pytest.mark.parametrize(
    "text",
    ["2014-02-30", "2014", "14-04-23", "2014/04/23", "", "\uff12\uff10\uff11\uff14-04-23", "2014-04-23x"],
)
def test_an_invalid_date_is_not_parsed(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("18:38", "18:38:00"),
        ("1838", "18:38:00"),
        ("183859", "18:38:00"),
        ("8:05", "08:05:00"),
        ("18:38:59.123", "18:38:00"),
        ("2014-04-23T18:38:00Z", "18:38:00"),
        ("PT18H38M00S", "18:38:00"),
        ("PT7M", "00:07:00"),
        ("24:00", None),
        ("18:60", None),
        ("PT", None),
        ("noon", None),
        ("", None),
    ],
)
def test_times_are_read_in_their_forms(text: str, expected: str | None) -> None:
    assert parse_time(text) == expected


@pytest.mark.parametrize(
    "value",
    ["1_000", "\uff11\uff12", "+-1", " 1", "1.5", 2**31, -(2**31) - 1, True, None, 1.5, "99999999999"],
)
def test_a_non_integer_is_refused(value: object) -> None:
    assert parse_integer(value) is None


@pytest.mark.parametrize(
    "value", ["1_000", "0x1", "1e500", "", ".5", "NaN", Decimal("NaN"), float("inf"), True, None, [], 10**15]
)
def test_a_non_number_is_refused(value: object) -> None:
    assert parse_number(value) is None


def test_a_float_is_parsed_from_its_printed_form() -> None:
    assert parse_number(0.1) == Decimal("0.1")
