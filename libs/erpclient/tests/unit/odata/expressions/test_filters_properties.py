"""`$filter` against random texts: a second reader, written from the grammar's words alone, must agree."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpclient.odata import (
    DEFAULT_LIMITS,
    Dialect,
    Expected,
    InvalidOption,
    ODataErrorCode,
    OptionRules,
    QueryLimits,
    parse_list_query,
)
from erpclient.odata.expressions.filters import read_filter
from erpclient.odata.expressions.grammar import grammar_for

RULES: Final = OptionRules(denied={"Password"}, extra_names={"2_ODOC"})
GRAMMAR: Final = grammar_for(RULES, DEFAULT_LIMITS)
WORDS: Final = (
    {"and", "or", "not", "null", "true", "false", "nan", "inf"}
    | {"eq", "ne", "gt", "ge", "lt", "le"}
    | {"startswith", "endswith", "contains", "substringof"}
)
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
DIGITS: Final = "0123456789"


class RefusedError(Exception):
    """The second reader does not understand the text."""


class SecondReader:
    """Plain recursive descent over single characters, without patterns; returns the canonical form."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.conditions = 0

    def read(self) -> str:
        self.need(len(self.text) <= DEFAULT_LIMITS.filter_length)
        self.blanks(0)
        written = self.any(0)
        self.blanks(0)
        self.need(self.at == len(self.text))
        return written

    def need(self, condition: bool) -> None:
        if not condition:
            raise RefusedError

    def blanks(self, least: int) -> None:
        start = self.at
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1
        self.need(self.at - start >= least)

    def mark(self, mark: str) -> None:
        self.need(self.text.startswith(mark, self.at))
        self.at += len(mark)

    def attempt(self, step: Callable[[], str]) -> str | None:
        start, conditions = self.at, self.conditions
        try:
            return step()
        except RefusedError:
            self.at, self.conditions = start, conditions
            return None

    def any(self, depth: int) -> str:
        written = self.term(depth)
        while True:
            word = self.attempt(self.connective)
            if word is None:
                return written
            written += f" {word} {self.term(depth)}"

    def connective(self) -> str:
        self.blanks(1)
        word = self.run(LETTERS)
        self.need(word in {"and", "or"})
        self.blanks(1)
        return word

    def run(self, alphabet: str) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in alphabet:
            self.at += 1
        return self.text[start : self.at]

    def term(self, depth: int) -> str:
        negated = self.attempt(lambda: self.group(depth, "not"))
        if negated is not None:
            return negated
        plain = self.attempt(lambda: self.group(depth, ""))
        if plain is not None:
            return plain
        self.conditions += 1
        self.need(self.conditions <= DEFAULT_LIMITS.filter_conditions)
        for step in (lambda: self.call("not "), lambda: self.call(""), self.comparison):
            written = self.attempt(step)
            if written is not None:
                return written
        raise RefusedError

    def group(self, depth: int, word: str) -> str:
        self.mark(word)
        if word:
            self.blanks(0)
        self.mark("(")
        self.need(depth < DEFAULT_LIMITS.filter_depth)
        self.blanks(0)
        inner = self.any(depth + 1)
        self.blanks(0)
        self.mark(")")
        return f"not ({inner})" if word else f"({inner})"

    def call(self, negation: str) -> str:
        if negation:
            self.mark("not")
            self.blanks(1)
        function = self.run(LETTERS)
        self.need(function in {"startswith", "endswith", "contains", "substringof"})
        self.mark("(")
        self.blanks(0)
        steps = [self.name, self.string]
        first, second = reversed(steps) if function == "substringof" else steps
        left = first()
        self.blanks(0)
        self.mark(",")
        self.blanks(0)
        right = second()
        self.blanks(0)
        self.mark(")")
        return f"{negation}{function}({left},{right})"

    def comparison(self) -> str:
        left = self.name()
        self.blanks(1)
        operator = self.run(LETTERS)
        self.need(operator in {"eq", "ne", "gt", "ge", "lt", "le"})
        self.blanks(1)
        steps = [self.string, self.moment, self.number, self.name]
        if operator in {"eq", "ne"}:
            steps.append(self.null)
        for step in steps:
            right = self.attempt(step)
            if right is not None:
                return f"{left} {operator} {right}"
        raise RefusedError

    def ends(self) -> None:
        self.need(self.at == len(self.text) or self.text[self.at] in " )")

    def null(self) -> str:
        self.need(self.run(LETTERS + DIGITS) == "null")
        self.ends()
        return "null"

    def name(self) -> str:
        if self.text[self.at : self.at + 1] == "2":
            self.need(self.run(LETTERS + DIGITS) == "2_ODOC")
            return "2_ODOC"
        self.need(self.text[self.at : self.at + 1] in set(LETTERS))
        name = self.run(LETTERS + DIGITS)
        self.need(name.lower() not in WORDS | {"password"} and len(name) <= DEFAULT_LIMITS.name_length)
        self.need(self.text[self.at : self.at + 1] in {" ", ",", ")", ""})
        return name

    def number(self) -> str:
        start = self.at
        if self.text[self.at : self.at + 1] == "-":
            self.at += 1
        self.need(1 <= len(self.run(DIGITS)) <= 19)
        if self.text[self.at : self.at + 1] == ".":
            self.at += 1
            self.need(1 <= len(self.run(DIGITS)) <= 10)
        self.ends()
        return self.text[start : self.at]

    def string(self) -> str:
        self.mark("'")
        content = []
        while True:
            self.need(self.at < len(self.text))
            character = self.text[self.at]
            self.at += 1
            if character == "'":
                if self.text[self.at : self.at + 1] != "'":
                    break
                self.at += 1
            code = ord(character)
            self.need(code >= 0x20 and not 0x7F <= code <= 0x9F and not 0xD800 <= code <= 0xDFFF)
            self.need(code not in {0x2028, 0x2029, 0xFFFD, 0xFFFE, 0xFFFF})
            content.append(character)
        self.need(len(content) <= DEFAULT_LIMITS.string_length)
        self.need(self.at == len(self.text) or self.text[self.at] in " ),")
        return "'" + "".join(content).replace("'", "''") + "'"

    def moment(self) -> str:
        start = self.at
        self.mark("datetime'")
        day = self.run(DIGITS + "-")
        time = self.run(DIGITS + ":.T")
        self.mark("'")
        self.ends()
        self.need((len(day), day.count("-")) in {(8, 0), (10, 2)} and day.isascii())
        self.need(not time or time.startswith("T"))
        clock, _, fraction = time[1:].partition(".")
        shapes = {"": 0, "T": -1}.get(time, len(clock))
        self.need(shapes in {0, 5, 8} and ("." in time) <= (shapes == 8))
        self.need("." not in time or (1 <= len(fraction) <= 7 and fraction.isdecimal()))
        formats = {8: "%Y%m%d", 10: "%Y-%m-%d"}[len(day)], {0: "", 5: "%H:%M", 8: "%H:%M:%S"}[shapes]
        if shapes == 8:
            self.need(int(clock[6:]) < 60 if clock[6:].isdecimal() else False)
        try:
            datetime.strptime(f"{day} {clock}", " ".join(formats))  # noqa: DTZ007 - only whether it exists
        except ValueError:
            raise RefusedError from None
        return self.text[start : self.at]


def second_opinion(text: str) -> str | None:
    try:
        return SecondReader(text).read()
    except RefusedError:
        return None


def read(text: str) -> str | None:
    """Read a filter; where it is refused, check that the refusal names a real fault."""
    try:
        return read_filter(text, GRAMMAR)
    except InvalidOption as refusal:
        check_refusal(refusal, len(text))
        return None


def check_refusal(refusal: InvalidOption, length: int) -> None:
    assert refusal.option == "$filter"
    assert refusal.position is not None
    if refusal.code == ODataErrorCode.LIMIT:
        assert 0 <= refusal.position <= max(length, DEFAULT_LIMITS.filter_length)
        return
    assert 0 <= refusal.position <= length
    assert refusal.expected
    at_the_end = refusal.position == length
    assert (refusal.found is None) == at_the_end
    assert not (at_the_end and Expected.END in refusal.expected), "the end was right where it was"


def cases(name: str) -> list[str]:
    text = (Path(__file__).parents[1] / "cases" / name).read_text(encoding="utf-8")
    return [json.loads(line)["filter"] for line in text.split("\n") if line]


KNOWN: Final = [
    *cases("valid_filters.jsonl"),
    *cases("odd_filters.jsonl"),
    *[text for text in cases("hostile_filters.jsonl") if len(text) < 300],
]
PIECES: Final = [
    *["A", "B", "U_X", "2_ODOC", "Password", "datetime", "null", "true", "eqA", "notA", "ñ"],
    *["eq", "ne", "gt", "le", "EQ", "in", "and", "or", "AND", "not", "add"],
    *["startswith", "contains", "substringof", "toupper"],
    *[
        " ",
        " ",
        " ",
        " ",
        "  ",
        "(",
        "(",
        ")",
        ")",
        ",",
        "/",
        "'",
        "''",
        "%27",
        ".",
        "-",
        "\t",
        "\x00",
        "\u2028",
    ],
    *["'x'", "'O''Neil'", "' and '", "1", "-2.5", "12L", "20240101", "2024-01-01", "99999999999999999999"],
    *["datetime'2024-02-29'", "datetime'2023-02-29'", "datetime'20240101T10:00'", "datetime'"],
    *[" eq 'x'", " and ", " or ", "contains(A,'x')", "A eq 1", "not (", "not(", "substringof('x',A)"],
]

blanks = st.sampled_from([" ", " ", " ", "  ", "   "])
no_blanks = st.sampled_from(["", "", "", " ", "  "])
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True).filter(
    lambda name: name.lower() not in WORDS | {"password"}
)
strings = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029\ufffd\ufffe\uffff"),
    max_size=30,
).map(lambda text: "'" + text.replace("'", "''") + "'")
numbers = st.from_regex(r"-?[0-9]{1,19}(\.[0-9]{1,10})?", fullmatch=True)
moments = st.dates().map(lambda day: f"datetime'{day.isoformat()}'")
Tree = tuple[str, str]
"""A condition in canonical form and the same with blanks where they are allowed."""


@st.composite
def comparisons(draw: st.DrawFn) -> Tree:
    operator = draw(st.sampled_from(["eq", "ne", "gt", "ge", "lt", "le"]))
    value = draw(
        strings | numbers | moments | names | (st.just("null") if operator in {"eq", "ne"} else names)
    )
    left = draw(names)
    return f"{left} {operator} {value}", f"{left}{draw(blanks)}{operator}{draw(blanks)}{value}"


@st.composite
def calls(draw: st.DrawFn) -> Tree:
    function = draw(st.sampled_from(["startswith", "endswith", "contains", "substringof"]))
    pair = [draw(names), draw(strings)]
    left, right = reversed(pair) if function == "substringof" else pair
    inside = f"{draw(no_blanks)}{left}{draw(no_blanks)},{draw(no_blanks)}{right}{draw(no_blanks)}"
    negated = draw(st.booleans())
    before = ("not ", f"not{draw(blanks)}") if negated else ("", "")
    return f"{before[0]}{function}({left},{right})", f"{before[1]}{function}({inside})"


@st.composite
def groups(draw: st.DrawFn, inner: st.SearchStrategy[Tree]) -> Tree:
    canonical, loose = draw(inner)
    for _ in range(draw(st.integers(0, 2))):
        word, further = draw(st.sampled_from(["and", "or"])), draw(inner)
        canonical += f" {word} {further[0]}"
        loose += f"{draw(blanks)}{word}{draw(blanks)}{further[1]}"
    negated = draw(st.booleans())
    before = ("not ", f"not{draw(no_blanks)}") if negated else ("", "")
    return f"{before[0]}({canonical})", f"{before[1]}({draw(no_blanks)}{loose}{draw(no_blanks)})"


trees = st.recursive(comparisons() | calls(), groups, max_leaves=12)


@given(trees, no_blanks, no_blanks)
@settings(max_examples=150, deadline=None)
def test_blanks_do_not_matter_and_the_canonical_form_is_stable(tree: Tree, before: str, behind: str) -> None:
    canonical, loose = tree
    grammar = grammar_for(OptionRules(), QueryLimits(filter_depth=100))
    assert read_filter(before + loose + behind, grammar) == canonical
    assert read_filter(canonical, grammar) == canonical


@given(comparisons() | calls())
@settings(max_examples=150, deadline=None)
def test_the_encoded_filter_decodes_to_the_parsed_one(tree: Tree) -> None:
    canonical, loose = tree
    sent = parse_list_query("$filter=" + quote(loose, safe=""), OptionRules()).encode(Dialect.V2)
    assert sent.isascii()
    assert dict(part.split("=") for part in sent.split("&")).keys() == {"$filter", "$top", "$count"}
    assert unquote(sent.split("&")[0].removeprefix("$filter="), errors="strict") == canonical


def check_pieces(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert read(text) == second_opinion(text)


def check_edit(text: str, start: int, length: int, piece: str) -> None:
    start %= len(text) + 1
    edited = text[:start] + piece + text[start + length :]
    assert read(edited) == second_opinion(edited)


pieces = st.lists(st.sampled_from(PIECES), max_size=14)
edits = (st.sampled_from(KNOWN), st.integers(0, 400), st.integers(0, 4), st.sampled_from(["", *PIECES]))


@given(pieces)
@settings(max_examples=400, deadline=None)
def test_both_parsers_agree_on_random_pieces(pieces: list[str]) -> None:
    check_pieces(pieces)


@given(*edits)
@settings(max_examples=400, deadline=None)
def test_both_parsers_agree_on_edited_filters(text: str, start: int, length: int, piece: str) -> None:
    check_edit(text, start, length, piece)


@pytest.mark.parametrize("text", KNOWN, ids=range(len(KNOWN)))
def test_both_parsers_agree_on_the_recorded_filters(text: str) -> None:
    assert read(text) == second_opinion(text)


@pytest.mark.proof
@given(pieces)
@settings(max_examples=20_000, deadline=None)
def test_both_parsers_agree_on_very_many_random_pieces(pieces: list[str]) -> None:
    check_pieces(pieces)


@pytest.mark.proof
@given(*edits)
@settings(max_examples=20_000, deadline=None)
def test_both_parsers_agree_on_very_many_edited_filters(
    text: str, start: int, length: int, piece: str
) -> None:
    check_edit(text, start, length, piece)
