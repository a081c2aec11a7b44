"""`$select`, `$orderby`, `$expand`: what passes, what is refused and where."""

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpclient.odata import (
    DEFAULT_LIMITS,
    Expected,
    Hint,
    InvalidOption,
    ODataErrorCode,
    OptionRules,
    QueryLimits,
    parse_list_query,
)
from erpclient.odata.expressions.grammar import grammar_for
from erpclient.odata.expressions.lists import read_expand, read_orderby, read_select

RULES: Final = OptionRules(
    expand={"Warehouse", "ItemGroups", "Password"}, denied={"Password"}, extra_names={"2_ODOC"}
)
GRAMMAR: Final = grammar_for(RULES, DEFAULT_LIMITS)
EXPANDED: Final = ("Warehouse",)
RESERVED: Final = {
    "and",
    "or",
    "not",
    "eq",
    "ne",
    "gt",
    "ge",
    "lt",
    "le",
    "null",
    "true",
    "false",
    "nan",
    "inf",
} | {
    "startswith",
    "endswith",
    "contains",
    "substringof",
}


def select(text: str, expand: tuple[str, ...] = EXPANDED) -> tuple[str, ...]:
    return read_select(text, expand, GRAMMAR)


def orderby(text: str) -> tuple[str, ...]:
    return read_orderby(text, GRAMMAR)


def expand(text: str) -> tuple[str, ...]:
    return read_expand(text, GRAMMAR)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("ItemCode", ("ItemCode",)),
        ("ItemCode,ItemName", ("ItemCode", "ItemName")),
        ("ItemCode , ItemName,   U_X", ("ItemCode", "ItemName", "U_X")),
        ("*", ("*",)),
        ("*,ItemCode", ("*", "ItemCode")),
        ("ItemCode, *", ("ItemCode", "*")),
        ("ItemCode,Warehouse/WarehouseName", ("ItemCode", "Warehouse/WarehouseName")),
        ("Warehouse,Warehouse/A,Warehouse/B", ("Warehouse", "Warehouse/A", "Warehouse/B")),
        ("DocEntry,DocumentLines", ("DocEntry", "DocumentLines")),
        ("2_ODOC,A", ("2_ODOC", "A")),
        ("a,A", ("a", "A")),
        ("N" * 128, ("N" * 128,)),
    ],
)
def test_a_selection_is_read(text: str, entries: tuple[str, ...]) -> None:
    assert select(text) == entries


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("DocEntry", ("DocEntry",)),
        ("DocEntry desc", ("DocEntry desc",)),
        ("DocDate   desc ,  DocEntry asc", ("DocDate desc", "DocEntry asc")),
        ("desc desc,asc", ("desc desc", "asc")),
        ("ascending,descending desc", ("ascending", "descending desc")),
        ("2_ODOC asc", ("2_ODOC asc",)),
        ("A,B,C,D,E,F,G,H", ("A", "B", "C", "D", "E", "F", "G", "H")),
    ],
)
def test_an_ordering_is_read(text: str, entries: tuple[str, ...]) -> None:
    assert orderby(text) == entries


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("Warehouse", ("Warehouse",)),
        ("ItemGroups , Warehouse", ("ItemGroups", "Warehouse")),
    ],
)
def test_an_expansion_is_read(text: str, entries: tuple[str, ...]) -> None:
    assert expand(text) == entries


@pytest.mark.parametrize(
    ("query", "position", "expected", "found", "hint"),
    [
        ("$select=", 0, (), None, None),
        ("$select=A,", 2, ("property name", "*"), None, None),
        ("$select=A B", 2, (",", "end"), "B", None),
        ("$select=A ", 1, (",", "end"), " ", None),
        ("$select=Warehouse/&$expand=Warehouse", 10, ("property name",), None, None),
        ("$select=Warehouse/A", 0, ("expanded collection",), "Warehouse", None),
        ("$select=A,A", 2, (), "A", None),
        ("$orderby=A DESC", 2, ("asc", "desc", ",", "end"), "DESC", Hint.LOWER_CASE_OPERATORS),
        ("$orderby=A/B", 1, ("asc", "desc", ",", "end"), "/B", Hint.NO_PATHS_OR_LAMBDAS),
        ("$orderby=A asc B", 6, (",", "end"), "B", None),
        ("$orderby=A asc ", 5, (",", "end"), " ", None),
        ("$orderby=*", 0, ("property name",), "*", None),
        ("$expand=Items", 0, ("declared collection",), "Items", None),
        ("$expand=Warehouse($select=A)", 9, (",", "end"), "(", None),
        ("$expand=null", 0, ("declared collection",), "null", None),
    ],
)
def test_a_refused_list_option_reports_expected_and_found_text(
    query: str, position: int, expected: tuple[str, ...], found: str | None, hint: Hint | None
) -> None:
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query(query, RULES)
    assert refusal.value.position == position
    assert refusal.value.expected == expected
    assert refusal.value.found == found
    assert refusal.value.hint == hint


@pytest.mark.parametrize("name", ["Password", "PASSWORD", "password"])
@pytest.mark.parametrize(
    "form",
    [
        "$select={}",
        "$select=*,{}",
        "$select=Warehouse/{}&$expand=Warehouse",
        "$orderby=A,{} desc",
        "$expand={}",
    ],
)
def test_a_denied_name_is_refused_in_every_list(form: str, name: str) -> None:
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query(form.format(name), RULES)
    assert refusal.value.code == ODataErrorCode.FORBIDDEN_NAME
    assert refusal.value.found == name


@pytest.mark.parametrize(
    ("limits", "allowed", "refused", "position"),
    [
        (QueryLimits(select_length=3), "$select=ABC", "$select=ABCD", 3),
        (QueryLimits(select_names=2), "$select=A,B", "$select=A,B,C", 4),
        (QueryLimits(orderby_length=5), "$orderby=A asc", "$orderby=A desc", 5),
        (QueryLimits(orderby_names=2), "$orderby=A,B desc", "$orderby=A,B desc,C", 9),
        (QueryLimits(expand_length=9), "$expand=Warehouse", "$expand=ItemGroups", 9),
        (QueryLimits(expand_names=1), "$expand=Warehouse", "$expand=Warehouse,ItemGroups", 10),
        (QueryLimits(name_length=3), "$select=ABC", "$select=A,ABCD", 2),
        (QueryLimits(name_length=3), "$orderby=ABC", "$orderby=ABCD", 0),
        (QueryLimits(name_length=9), "$expand=Warehouse", "$expand=ItemGroups", 0),
    ],
)
def test_each_list_limit_is_exact(limits: QueryLimits, allowed: str, refused: str, position: int) -> None:
    parse_list_query(allowed, RULES, limits)
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query(refused, RULES, limits)
    assert (refusal.value.code, refusal.value.position) == (ODataErrorCode.LIMIT, position)


def is_name(text: str) -> bool:
    if text == "2_ODOC":
        return True
    plain = text.isascii() and text.replace("_", "a").isalnum() and not text[:1].isdigit()
    return plain and len(text) <= 128 and text.lower() not in RESERVED | {"password"}


def split(text: str) -> list[str]:
    """Split at commas; blanks beside a comma belong to it, other blanks stay."""
    first, *others = text.split(",")
    entries = [first, *[other.lstrip(" ") for other in others]]
    return [*[entry.rstrip(" ") for entry in entries[:-1]], entries[-1]]


def selected(text: str) -> tuple[str, ...] | None:
    def is_entry(entry: str) -> bool:
        collection, slash, name = entry.partition("/")
        return entry == "*" or (
            is_name(collection) and (not slash or (collection in EXPANDED and is_name(name)))
        )

    entries = split(text)
    fits = all(map(is_entry, entries)) and len(set(entries)) == len(entries) <= 100 and len(text) <= 2048
    return tuple(entries) if fits else None


def ordered(text: str) -> tuple[str, ...] | None:
    entries = split(text)
    parts = [entry.partition(" ") for entry in entries]
    names = [name for name, _, _ in parts]
    words = [word.lstrip(" ") for _, _, word in parts]
    if not all(map(is_name, names)) or len(set(names)) < len(names):
        return None
    if any(blank and word not in {"asc", "desc"} for (_, blank, _), word in zip(parts, words, strict=True)):
        return None
    return tuple(f"{name} {word}".rstrip(" ") for name, word in zip(names, words, strict=True))


PIECES: Final = [
    *["A", "B", "U_X", "2_ODOC", "Password", "null", "Warehouse", "ItemGroups", "*", "/", ",", ",", ",", " "],
    *[", ", " , ", " asc", " desc", " DESC", "  ", "'", "(", ")", "é", "\t", "\n", "\x00", "$", "%", "1"],
    *["Warehouse/", "Warehouse/A", "Items/A", "A,B", "A desc", "C asc,D"],
]


def outcome(read: Callable[[str], tuple[str, ...]], text: str) -> tuple[str, ...] | None:
    """Read a list; where it is refused, check that the refusal names a real fault."""
    try:
        return read(text)
    except InvalidOption as refusal:
        check_refusal(refusal, len(text))
        return None


def check_refusal(refusal: InvalidOption, length: int) -> None:
    assert refusal.position is not None
    assert 0 <= refusal.position <= length
    at_the_end = refusal.position == length
    assert not (at_the_end and Expected.END in refusal.expected), "the end was right where it was"


texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)


@given(texts)
@settings(max_examples=400, deadline=None)
def test_a_second_parser_of_selections_agrees(text: str) -> None:
    assert outcome(select, text) == selected(text)


@given(texts)
@settings(max_examples=400, deadline=None)
def test_a_second_parser_of_orderings_agrees(text: str) -> None:
    assert outcome(orderby, text) == ordered(text)


@given(texts)
@settings(max_examples=400, deadline=None)
def test_only_declared_collections_are_ever_expanded(text: str) -> None:
    entries = split(text)
    declared = set(entries) <= {"Warehouse", "ItemGroups"} and len(set(entries)) == len(entries)
    assert outcome(expand, text) == (tuple(entries) if declared else None)
