# ruff: noqa: DTZ001 - the moments of a database have no zone
from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.csv_cells import CsvCells, neutralised


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_text_that_begins_like_a_formula_is_none_any_more(start: str) -> None:
    assert neutralised(f"{start}1+1") == f"'{start}1+1"
    assert neutralised(f"a{start}1") == f"a{start}1"


@pytest.mark.parametrize("number", ["-5", "+56", "-1,5", "-0.25"])
def test_a_lone_number_is_left_alone(number: str) -> None:
    assert neutralised(number) == number


@pytest.mark.parametrize(
    ("value", "chilean", "plain"),
    [
        (None, "", ""),
        (True, "VERDADERO", "TRUE"),
        (-5, "-5", "-5"),
        (Decimal("-1234.50"), "-1234,50", "-1234.50"),
        (Decimal("1E+3"), "1000", "1000"),
        (1e-07, "0,0000001", "0.0000001"),
        (float("inf"), "inf", "inf"),
        (date(2026, 2, 11), "2026-02-11", "2026-02-11"),
        (datetime(2026, 2, 11), "2026-02-11", "2026-02-11"),
        (datetime(2026, 2, 11, 8, 30), "2026-02-11 08:30:00", "2026-02-11 08:30:00"),
        (time(8, 30), "08:30:00", "08:30:00"),
        (b"\x00\xff", "AP8=", "AP8="),
        ({"a": [1]}, '"{""a"":[1]}"', '"{""a"":[1]}"'),
        ("a;b", '"a;b"', "a;b"),
        ("a,b", "a,b", '"a,b"'),
        ('say "x"', '"say ""x"""', '"say ""x"""'),
        ("a\r\nb", '"a\r\nb"', '"a\r\nb"'),
        (" a", '" a"', '" a"'),
        ("a\0b", "a\ufffdb", "a\ufffdb"),
        ("\ud800", "\ufffd", "\ufffd"),
    ],
)
def test_values_in_a_csv(value: object, chilean: str, plain: str) -> None:
    assert CsvCells(";").text(value) == chilean
    assert CsvCells(",").text(value) == plain


def test_a_decimal_comma_never_splits_a_number_in_two() -> None:
    assert CsvCells(",").line([Decimal("1.5"), 2]) == "1.5,2\r\n"
    assert CsvCells(";").line([Decimal("1.5"), 2]) == "1,5;2\r\n"


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4), st.sampled_from(";,"))
def test_a_number_in_a_csv_keeps_its_digits(number: Decimal, separator: str) -> None:
    text = CsvCells(separator).text(number)
    assert Decimal(text.replace(",", ".")) == number
    assert "E" not in text
