"""Work grows no faster than the text: counted in operations and read from the patterns, never timed."""

import importlib
import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import attrs
import pytest

from erpclient.odata import InvalidOption, OptionRules, QueryLimits
from erpclient.odata.expressions.filters import read_filter
from erpclient.odata.expressions.grammar import Grammar, grammar_for
from erpclient.odata.expressions.lists import read_orderby, read_select

WIDE: Final = QueryLimits(
    filter_length=100_000,
    filter_conditions=100_000,
    filter_depth=100_000,
    string_length=100_000,
    select_length=100_000,
    select_names=100_000,
    orderby_length=100_000,
    orderby_names=100_000,
)
GRAMMAR: Final = grammar_for(OptionRules(extra_names={"2_ODOC"}), WIDE)


def operations(work: Callable[[str], object], text: str) -> int:
    """Count calls of Python and C functions while some work is done on a text, refused or not."""
    count = 0

    def tally(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    previous = sys.getprofile()
    sys.setprofile(tally)
    try:
        work(text)
    except InvalidOption:
        pass
    finally:
        sys.setprofile(previous)
    return count


def filter_of(text: str) -> object:
    return read_filter(text, GRAMMAR)


def select_of(text: str) -> object:
    return read_select(text, (), GRAMMAR)


def orderby_of(text: str) -> object:
    return read_orderby(text, GRAMMAR)


FAMILIES: Final[dict[str, tuple[Callable[[str], object], Callable[[int], str]]]] = {
    "conditions": (filter_of, lambda n: " or ".join(["A eq 'x'"] * n)),
    "conditions, the last one wrong": (filter_of, lambda n: " or ".join(["A eq 'x'"] * n) + " or"),
    "calls": (filter_of, lambda n: " and ".join(["contains(A,'x')"] * n)),
    "parentheses": (filter_of, lambda n: "(" * n + "A eq 1" + ")" * n),
    "parentheses without an end": (filter_of, lambda n: "(" * n),
    "parentheses with not": (filter_of, lambda n: "not(" * n + "A eq 1" + " )" * n),
    "closing parentheses": (filter_of, lambda n: "A eq 1" + ")" * n),
    "not": (filter_of, lambda n: "not " * n),
    "blanks": (filter_of, lambda n: "A" + " " * n + "eq" + " " * n + "1" + " " * n),
    "blanks and nothing": (filter_of, lambda n: " " * n),
    "blanks before a fault": (filter_of, lambda n: "A eq 1" + " " * n + "x"),
    "a long text": (filter_of, lambda n: "A eq '" + "x" * n + "'"),
    "a long text without an end": (filter_of, lambda n: "A eq '" + "x" * n),
    "quotes": (filter_of, lambda n: "A eq '" + "''" * n + "'"),
    "quotes without an end": (filter_of, lambda n: "A eq '" + "''" * n),
    "a long number": (filter_of, lambda n: "A eq " + "9" * n),
    "a long name": (filter_of, lambda n: "A" * n + " eq 1"),
    "a long path": (filter_of, lambda n: "A/" * n + "B eq 1"),
    "selected names": (select_of, lambda n: ",".join(f"N{number}" for number in range(n))),
    "selected names, the last one wrong": (
        select_of,
        lambda n: ",".join(f"N{number}" for number in range(n)) + ",",
    ),
    "commas": (select_of, lambda n: "," * n),
    "ordered names": (orderby_of, lambda n: ",".join(f"N{number} desc" for number in range(n))),
    "blanks in an ordering": (orderby_of, lambda n: "A" + " " * n + "asc" + " " * n),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_four_times_the_text_is_at_most_four_times_the_work(family: str) -> None:
    work, text = FAMILIES[family]
    work_once = operations(work, text(100))
    assert operations(work, text(400)) <= 4 * work_once + 40


def test_a_condition_costs_a_fixed_small_number_of_operations() -> None:
    ten = operations(filter_of, " or ".join(["A eq 'x'"] * 10))
    twenty = operations(filter_of, " or ".join(["A eq 'x'"] * 20))
    assert (twenty - ten) / 10 < 25


def test_nesting_does_not_deepen_the_stack() -> None:
    deep = 50_000
    text = "(" * deep + "A eq 1" + ")" * deep
    assert read_filter(text, grammar_for(OptionRules(), attrs.evolve(WIDE, filter_length=200_000))) == text


def unbounded_greedy_repeats(parsed: Any) -> list[Any]:
    """Find repetitions without an upper bound that could be tried again with fewer turns."""
    constants = importlib.import_module("re._constants")
    found = []
    for operation, argument in parsed:
        if operation in {constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT}:
            _, most, body = argument
            if operation is not constants.POSSESSIVE_REPEAT and most == constants.MAXREPEAT:
                found.append(argument)
            found += unbounded_greedy_repeats(body)
        elif operation is constants.SUBPATTERN:
            found += unbounded_greedy_repeats(argument[-1])
        elif operation is constants.BRANCH:
            found += [repeat for branch in argument[1] for repeat in unbounded_greedy_repeats(branch)]
        elif operation in {constants.ASSERT, constants.ASSERT_NOT}:
            found += unbounded_greedy_repeats(argument[1])
    return found


PATTERNS: Final = [
    field.name for field in attrs.fields(Grammar) if isinstance(getattr(GRAMMAR, field.name), re.Pattern)
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_grammar_patterns_have_no_unbounded_backtracking(pattern: str) -> None:
    parse = importlib.import_module("re._parser").parse
    assert unbounded_greedy_repeats(parse(getattr(GRAMMAR, pattern).pattern)) == []


def test_the_check_for_unbounded_repeats_finds_all_forms() -> None:
    parse = importlib.import_module("re._parser").parse
    assert len(PATTERNS) == 7
    for text in ("a*", "(a+)?", "(?:x|a*?)", "(?=a+)", "(?:a*)*+"):
        assert len(unbounded_greedy_repeats(parse(text))) == 1
    assert unbounded_greedy_repeats(parse("a*+b{0,9}c?")) == []
