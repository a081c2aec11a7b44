"""Parsing of quantities: a table of texts, and arbitrary texts."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supplier_returns.pasting.numbers import NumberProblem, NumberText, Style, parse_number
from supplier_returns.quantities import decimals_of

P = NumberProblem


@pytest.mark.parametrize(
    ("text", "spanish", "english"),
    [
        ("7", "7", "7"),
        ("007", "7", "7"),
        ("1,5", "1.5", None),
        ("1.5", None, "1.5"),
        ("12.34", None, "12.34"),
        ("1.234", "1234", "1.234"),
        ("1,234", "1.234", "1234"),
        ("0,123", "0.123", None),
        ("0.123", None, "0.123"),
        ("1234,567", "1234.567", None),
        ("1.234,5", "1234.5", None),
        ("1,234.5", None, "1234.5"),
        ("1.234.567", "1234567", None),
        ("1,234,567", None, "1234567"),
        ("1.234.567,89", "1234567.89", None),
        ("10,500", "10.500", "10500"),
        ("123,456", "123.456", "123456"),
        ("123.456", "123456", "123.456"),
        ("012,345", "12.345", None),
        ("12,3456", "12.3456", None),
        ("999999999999", "999999999999", "999999999999"),
    ],
)
def test_a_number_has_the_values_that_its_text_allows(
    text: str, spanish: str | None, english: str | None
) -> None:
    expected = NumberText(Decimal(spanish) if spanish else None, Decimal(english) if english else None)
    assert parse_number(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", P.EMPTY),
        ("0", P.ZERO),
        ("0,00", P.ZERO),
        ("-5", P.SIGN),
        ("+5", P.SIGN),
        ("\u22125", P.SIGN),
        ("(5)", P.SIGN),
        ("1,23E+12", P.EXPONENT),
        ("1,23456789012346E+018", P.EXPONENT),
        ("1e5", P.EXPONENT),
        ("15 %", P.PERCENT_OR_CURRENCY),
        ("15\u00a0%", P.PERCENT_OR_CURRENCY),
        ("$1.500", P.PERCENT_OR_CURRENCY),
        ("CLP 1.500", P.PERCENT_OR_CURRENCY),
        ("1.23.4", P.GROUPING),
        ("1,2,3", P.GROUPING),
        ("1.234,5,6", P.GROUPING),
        ("0.123.456", P.GROUPING),
        ("1000000000000", P.TOO_LARGE),
        ("1" * 400, P.TOO_LARGE),
        ("1." + "0" * 400 + "1", P.TOO_LARGE),
        ("NaN", P.NOT_A_NUMBER),
        ("Infinity", P.NOT_A_NUMBER),
        ("1_000", P.NOT_A_NUMBER),
        ("٣", P.NOT_A_NUMBER),
        ("1 234,5", P.NOT_A_NUMBER),
        ("#N/D", P.NOT_A_NUMBER),
        (" -   ", P.NOT_A_NUMBER),
        (".5", P.NOT_A_NUMBER),
        ("5.", P.NOT_A_NUMBER),
        ("5\n", P.NOT_A_NUMBER),
    ],
)
def test_other_texts_give_the_reason_why_they_are_not_quantities(text: str, problem: NumberProblem) -> None:
    assert parse_number(text) is problem


@given(st.text(max_size=40) | st.from_regex(r"[0-9.,eE+\- ]{1,20}", fullmatch=True))
def test_every_text_is_a_positive_number_or_a_problem(text: str) -> None:
    read = parse_number(text)
    if isinstance(read, NumberText):
        for style in Style:
            assert 0 <= read.value(style) < 10**12
        assert set(text) <= set("0123456789.,")


@given(st.integers(1, 10**9), st.integers(0, 99))
def test_a_number_in_either_style_is_parsed_back(whole: int, cents: int) -> None:
    english = f"{whole:,}.{cents:02d}"
    spanish = english.translate(str.maketrans(".,", ",."))
    value = Decimal(f"{whole}.{cents:02d}")
    read_english, read_spanish = parse_number(english), parse_number(spanish)
    assert isinstance(read_english, NumberText)
    assert isinstance(read_spanish, NumberText)
    assert read_english.value(Style.POINT_DECIMALS) == value
    assert read_spanish.value(Style.COMMA_DECIMALS) == value


def test_trailing_zeros_do_not_count_as_decimals() -> None:
    assert [decimals_of(Decimal(text)) for text in ("1", "1.50", "100", "0.001", "1.000")] == [0, 1, 0, 3, 0]
