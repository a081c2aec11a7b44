"""Readers of ``$select``, ``$orderby`` and ``$expand``, which are lists of names.

The readers only accept or reject. On a rejection, the functions that refuse walk the text again to find the
first fault.
"""

from collections.abc import Callable, Collection, Iterable
from itertools import chain
from typing import Final, NoReturn

from erpclient.odata.errors import Expected, InvalidOption, ODataErrorCode, shown
from erpclient.odata.expressions.faults import (
    expect_name,
    refuse_forbidden,
    refuse_size,
    refuse_syntax,
    skip_blanks,
    token_at,
)
from erpclient.odata.expressions.grammar import Grammar

_DIRECTIONS: Final = frozenset({"asc", "desc"})


def read_select(text: str, expand: tuple[str, ...], grammar: Grammar) -> tuple[str, ...]:
    """Read the value of ``$select``.

    Args:
        text: the decoded value.
        expand: collections that the same request expands; a path must begin with one of them.
        grammar: patterns, rules and limits of the resource.

    Returns:
        ``ItemCode``, ``ItemGroups/Number`` or ``*`` each, in the order given.

    Raises:
        InvalidOption: the first fault found.
    """
    limits = grammar.limits
    if len(text) > limits.select_length or not grammar.select.fullmatch(text):
        refuse_select(text, expand, grammar)
    entries = tuple(text.replace(" ", "").split(","))
    names: Iterable[str] = entries
    if "/" in text:
        paths = [entry.split("/") for entry in entries]
        if not all(path[0] in expand for path in paths if len(path) > 1):
            refuse_select(text, expand, grammar)
        names = chain.from_iterable(paths)
    if not _check_names(names, entries, limits.select_names, grammar):
        refuse_select(text, expand, grammar)
    return entries


def read_orderby(text: str, grammar: Grammar) -> tuple[str, ...]:
    """Read the value of ``$orderby``.

    Args:
        text: the decoded value.
        grammar: patterns, rules and limits of the resource.

    Returns:
        ``Name``, ``Name asc`` or ``Name desc`` each, in the order given.

    Raises:
        InvalidOption: the first fault found.
    """
    limits = grammar.limits
    if len(text) > limits.orderby_length or not grammar.orderby.fullmatch(text):
        refuse_orderby(text, grammar)
    entries = [entry.split() for entry in text.split(",")]
    names = [entry[0] for entry in entries]
    if not _check_names(names, names, limits.orderby_names, grammar):
        refuse_orderby(text, grammar)
    return tuple([" ".join(entry) for entry in entries])


def read_expand(text: str, grammar: Grammar) -> tuple[str, ...]:
    """Read the value of ``$expand``.

    Args:
        text: the decoded value.
        grammar: patterns, rules and limits of the resource.

    Returns:
        declared navigation properties, in the order given.

    Raises:
        InvalidOption: the first fault found.
    """
    limits = grammar.limits
    if len(text) > limits.expand_length or not grammar.expand.fullmatch(text):
        refuse_expand(text, grammar)
    names = tuple(text.replace(" ", "").split(","))
    if not grammar.rules.expand.issuperset(names) or not _check_names(
        names, names, limits.expand_names, grammar
    ):
        refuse_expand(text, grammar)
    return names


def _check_names(names: Iterable[str], entries: Collection[str], most: int, grammar: Grammar) -> bool:
    """Check rules beyond the patterns: number of names, duplicates, reserved and denied names."""
    return len(set(entries)) == len(entries) <= most and grammar.refused.isdisjoint(map(str.lower, names))


def refuse_select(text: str, expand: tuple[str, ...], grammar: Grammar) -> NoReturn:
    """Find the first fault of a rejected ``$select``.

    Args:
        text: the decoded value.
        expand: collections that the same request expands.
        grammar: patterns, rules and limits of the resource.
    """

    def expect_entry(position: int) -> int:
        if text.startswith("*", position):
            return position + 1
        end = expect_name("$select", text, position, grammar, Expected.PROPERTY_NAME, Expected.STAR)
        if not text.startswith("/", end):
            return end
        collection = text[position:end]
        if collection not in expand:
            refuse_forbidden("$select", collection, position, Expected.EXPANDED_COLLECTION)
        return expect_name("$select", text, end + 1, grammar, Expected.PROPERTY_NAME)

    limits = grammar.limits
    _refuse_list("$select", text, limits.select_length, limits.select_names, expect_entry)


def refuse_orderby(text: str, grammar: Grammar) -> NoReturn:
    """Find the first fault of an ``$orderby`` that was found wrong.

    Args:
        text: the decoded value.
        grammar: patterns, rules and limits of the resource.
    """

    def expect_entry(position: int) -> int:
        return expect_name("$orderby", text, position, grammar, Expected.PROPERTY_NAME)

    limits = grammar.limits
    _refuse_list("$orderby", text, limits.orderby_length, limits.orderby_names, expect_entry, _DIRECTIONS)


def refuse_expand(text: str, grammar: Grammar) -> NoReturn:
    """Find the first fault of an ``$expand`` that was found wrong.

    Args:
        text: the decoded value.
        grammar: patterns, rules and limits of the resource.
    """

    def expect_entry(position: int) -> int:
        end = expect_name("$expand", text, position, grammar, Expected.DECLARED_COLLECTION)
        if text[position:end] not in grammar.rules.expand:
            refuse_forbidden("$expand", text[position:end], position, Expected.DECLARED_COLLECTION)
        return end

    limits = grammar.limits
    _refuse_list("$expand", text, limits.expand_length, limits.expand_names, expect_entry)


def _refuse_list(
    option: str,
    text: str,
    longest: int,
    most: int,
    expect_entry: Callable[[int], int],
    words: frozenset[str] = frozenset(),
) -> NoReturn:
    """Walk comma-separated entries and reject the first invalid one. Each entry may be followed by one of
    ``words``.
    """
    if len(text) > longest:
        refuse_size(option, f"longer than {longest} characters", longest)
    entries: set[str] = set()
    position = 0
    for _ in range(most):
        end = expect_entry(position)
        entry = text[position:end]
        if entry in entries:
            raise InvalidOption(
                ODataErrorCode.BAD_VALUE, "given twice", option=option, position=position, found=shown(entry)
            )
        entries.add(entry)
        position = _expect_comma(option, text, end, words)
    refuse_size(option, f"more than {most} names", position)


def _expect_comma(option: str, text: str, end: int, words: frozenset[str]) -> int:
    behind = skip_blanks(text, end)
    word = token_at(text, behind)
    expected: tuple[Expected, ...] = (Expected.COMMA, Expected.END)
    if word in words:
        end = behind + len(word)
        behind = skip_blanks(text, end)
    elif words:
        expected = (Expected.ASC, Expected.DESC, *expected)
    if not text.startswith(",", behind):
        refuse_syntax(option, text, end if behind == len(text) else behind, *expected)
    return skip_blanks(text, behind + 1)
