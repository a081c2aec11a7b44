# ruff: noqa: DTZ001 - the moments of a database have no zone
import csv
import io
import json
import re
import sys
import unicodedata
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servicekit.csv_cells import CsvCells, neutralised

CASES: list[list[str]] = json.loads(
    Path(__file__).with_name("formula_cases.json").read_text(encoding="utf-8")
)
READERS = (",", ";", "\t", "|")
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\u2212"
MARKS = f"{SIGNS},;|\t\n\r\x0b\x85\u2028\"' .aE\ufeff\u00a0\0"
DROPPED = '"\0\ufeff\u00a0 \t\r\n\v\x85\u2028'
NUMBER = re.compile(r"[+-][0-9]+(?:[.,][0-9]+)?")


def begins_formula(field: str) -> bool:
    """Return whether a field begins with a sign, apart from characters that a reader may drop."""
    return field.lstrip(DROPPED).startswith(tuple(SIGNS))


def fields_of(text: str, separators: str, *, is_quoting: bool) -> list[str]:
    """Return the fields of a CSV as a reader with these separators finds them.

    Args:
        text: The CSV.
        separators: Fields end at any of them. LibreOffice offers several at once.
        is_quoting: Whether quotes hold a field together.
    """
    if is_quoting and len(separators) == 1:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separators)
        return [field for row in rows for field in row]
    return [field for line in text.splitlines() for field in re.split(f"[{re.escape(separators)}]", line)]


@pytest.mark.parametrize(("text", "inert"), CASES)
def test_a_text_starts_a_formula_after_no_separator(text: str, inert: str) -> None:
    assert neutralised(text) == inert


@pytest.mark.parametrize("separator", [",", ";"])
@given(rows=st.lists(st.lists(st.text(MARKS, max_size=12), min_size=1, max_size=4), min_size=1, max_size=3))
@settings(max_examples=300, deadline=None)
def test_no_reader_finds_a_formula_in_a_csv(separator: str, rows: list[list[str]]) -> None:
    cells = CsvCells(separator)
    text = "".join(cells.line(tuple(row)) for row in rows)
    for separators in (*READERS, ",;\t", ",;|\t"):
        for is_quoting in (True, False):
            read = fields_of(text, separators, is_quoting=is_quoting)
            assert not [field for field in read if begins_formula(field)]


@given(text=st.text(f"{MARKS}05", max_size=16))
@settings(max_examples=600, deadline=None)
def test_only_numbers_keep_their_sign(text: str) -> None:
    for separators in (*READERS, ",;\t", ",;|\t"):
        signed = filter(begins_formula, fields_of(neutralised(text), separators, is_quoting=False))
        assert all(NUMBER.fullmatch(field.strip(DROPPED)) for field in signed)


def test_every_sign_that_normalizes_to_a_formula_gets_an_apostrophe() -> None:
    signs = [
        sign
        for sign in map(chr, range(sys.maxunicode + 1))
        if unicodedata.normalize("NFKC", sign)[:1] in {"=", "+", "-", "@", "\u2212"}
    ]
    assert {"\uff1d", "\ufe63", "\u2212"} < set(signs)
    for sign in signs:
        assert neutralised(f"{sign}A1") == f"'{sign}A1"
        assert neutralised(f"x;\u3000{sign}A1") == f"x;\u3000'{sign}A1"


def test_blanks_and_controls_before_a_sign_do_not_hide_it() -> None:
    hidden = [
        each
        for each in map(chr, range(0x3100))
        if each.isspace() or unicodedata.category(each) in {"Cc", "Zs"}
    ]
    for each in hidden:
        assert neutralised(f"{each}=1") == f"{each}'=1", ascii(each)
        assert neutralised(f"x,{each}=1") == f"x,{each}'=1", ascii(each)


def test_a_number_followed_by_text_is_no_formula_with_decimal_comma() -> None:
    line = CsvCells(",").line([-5, "3+A1", "-7", "E3", Decimal("-1.5"), "2", -2, None, "7"])
    assert line == '-5,"3+A1",-7,"E3",-1.5,2,-2,,7\r\n'
    assert CsvCells(";").line([-5, "3+A1"]) == "-5;3+A1\r\n"


def test_an_infinity_is_no_formula() -> None:
    assert CsvCells(";").line([float("-inf"), Decimal("-Infinity")]) == "'-inf;'-Infinity\r\n"


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
