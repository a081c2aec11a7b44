"""Usable and ignored `Range` headers."""

import pytest

from supplier_returns.web.byte_ranges import usable_range

SIZE = 100


@pytest.mark.parametrize(
    ("value", "usable"),
    [
        ("bytes=0-9", "bytes=0-9"),
        ("bytes=90-", "bytes=90-"),
        ("bytes=-1", "bytes=-1"),
        ("bytes=-1000", "bytes=-1000"),
        ("Bytes=0-0", "bytes=0-0"),
        (" BYTES=5-999 ", "bytes=5-999"),
        ("bytes=0-1, 4-5", "bytes=0-1,4-5"),
        ("bytes= , 0-1 ,,\t4-5, ", "bytes=0-1,4-5"),
        ("bytes=0-1,200-300", "bytes=0-1"),
        ("bytes=-0, 99-", "bytes=99-"),
        ("bytes=100-", "bytes=100-"),
        ("bytes=100-,200-300", "bytes=100-,200-300"),
        ("bytes=-0", "bytes=-0"),
    ],
)
def test_ranges_inside_the_file_are_kept(value: str, usable: str) -> None:
    assert usable_range([value], SIZE) == usable


@pytest.mark.parametrize(
    "value",
    [
        *("", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=1", "bytes=9-4", "bytes=0-1,9-4"),
        *("bytes=0-1;x", "bytes 0-1", "bytes 0-1/100", "bytes =0-1", "bytes=0 - 1", "bytes=0-1 4-5"),
        *("items=0-9", "lines=1-2", "none", "=0-1", "pages=1", "bytes=0x1-2", "bytes=+1-2", "bytes=--1"),
        *(
            "bytes=\u0661-\u0662",
            "bytes=1-2-3",
            "bytes=" + "9" * 5000 + "-",
            "bytes=0-1,items=2-3",
            "bytes=1.0-2",
        ),
    ],
    ids=lambda value: value[:20] or "empty",
)
def test_other_units_and_malformed_ranges_are_ignored(value: str) -> None:
    assert usable_range([value], SIZE) is None


def test_more_than_one_header_is_ignored() -> None:
    assert usable_range(["bytes=0-1", "bytes=4-5"], SIZE) is None
    assert usable_range([], SIZE) is None


def test_an_empty_file_has_no_range() -> None:
    assert usable_range(["bytes=0-,-5"], 0) == "bytes=0-,-5"
