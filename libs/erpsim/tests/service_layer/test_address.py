"""Addresses are split before they are decoded, and decoded once."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.company.errors import NotSimulatedError
from erpsim.service_layer.address import Segment, has_bad_escape, parse_path, parse_query


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        ("Items", (Segment("Items"),)),
        ("Orders(22)", (Segment("Orders", "22"),)),
        ("Items('i1')", (Segment("Items", "'i1'"),)),
        ("Items('A%2F1')", (Segment("Items", "'A/1'"),)),
        ("Items('A%252F1')", (Segment("Items", "'A%2F1'"),)),
        ("Items(%27A%20(b)%27)", (Segment("Items", "'A (b)'"),)),
        ("My%20Doc(1)", (Segment("My Doc", "1"),)),
        ("Orders(1)/Close", (Segment("Orders", "1"), Segment("Close"))),
        ("Orders/$count", (Segment("Orders"), Segment("$count"))),
        ("Orders(1)/DocEntry/$value", (Segment("Orders", "1"), Segment("DocEntry"), Segment("$value"))),
        ("Items('a", (Segment("Items('a"),)),
        ("", (Segment(""),)),
    ],
)
def test_a_path_splits_into_segments(path: str, segments: tuple[Segment, ...]) -> None:
    assert parse_path(path) == segments


@given(st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])))
def test_every_key_survives_encoding(key: str) -> None:
    text = "'" + key.replace("'", "''") + "'"
    assert parse_path(f"Items({quote(text, safe='')})") == (Segment("Items", text),)


def test_a_plus_is_a_space_in_a_query_and_itself_in_a_path() -> None:
    assert parse_path("Items('a+b')") == (Segment("Items", "'a+b'"),)
    assert parse_query("%24filter=a+eq+1&$top=2") == [("$filter", "a eq 1"), ("$top", "2")]


def test_empty_query_parts_are_ignored() -> None:
    assert parse_query("&$skip=5&") == [("$skip", "5")]
    assert parse_query("flag") == [("flag", "")]


@pytest.mark.parametrize("text", ["Items('%FF')", "Items?a=%FF"])
def test_bytes_that_are_no_utf_8_are_refused(text: str) -> None:
    path, _, query = text.partition("?")
    with pytest.raises(NotSimulatedError):
        parse_query(query) if query else parse_path(path)


@pytest.mark.parametrize(
    ("path", "bad"), [("a%2Fb", False), ("a%2", True), ("a%zz", True), ("%", True), ("a", False)]
)
def test_a_percent_sign_needs_two_digits(path: str, bad: bool) -> None:
    assert has_bad_escape(path) is bad
