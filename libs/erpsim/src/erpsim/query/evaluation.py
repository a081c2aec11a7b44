"""Evaluates filters and orders over stored rows, with SQL's three-valued logic.

A comparison with null is neither true nor false, so `Phone1 ne '5'` excludes rows without a phone, and so
does its negation. (Inference: the server turns a filter into SQL; `eq null` and `ne null` become `IS NULL`.)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar

from erpsim.company.errors import bad_filter, unknown_filter_property
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.row_types import RowType
from erpsim.company.rows.values import parse_date, parse_integer, parse_number, parse_time
from erpsim.facts.model import EDM_DATE, EDM_DOUBLE, EDM_INT32, EDM_STRING, EDM_TIME
from erpsim.query.filters import AllOf, Comparison, Condition, FunctionCall, Literal, Name, Not
from erpsim.query.lexer import Kind
from erpsim.query.ordering import Order
from erpsim.query.selection import NO_ALIASES

Test: TypeAlias = Callable[[Mapping[str, Value]], bool | None]
"""True, False, or None for SQL's unknown."""
_R = TypeVar("_R")
_Plain: TypeAlias = "str | int | Decimal"
_Read: TypeAlias = Callable[[Mapping[str, Value]], "_Plain | None"]

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}
"""Comparisons by their operator."""
_TEXT_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "startswith": str.startswith,
    "endswith": str.endswith,
    "contains": operator.contains,
    "substringof": operator.contains,
}


def compile_filter(
    condition: Condition,
    row_type: RowType,
    *,
    case_insensitive: bool = False,
    hidden: frozenset[str] = frozenset(),
    aliases: Mapping[str, str] = NO_ALIASES,
) -> Test:
    """Compile a parsed filter into a test of rows.

    Args:
        condition: the filter.
        row_type: of the rows.
        case_insensitive: compare texts without case (`B1S-CaseInsensitive: true`; HANA compares with case).
        hidden: write-only properties (passwords), unknown to filters.
        aliases: further names of properties, with the stored ones.

    Raises:
        SlError: 201 for an unknown name or a value that does not fit.
    """
    compiler = _Compiler(row_type, case_insensitive=case_insensitive, hidden=hidden, aliases=aliases)
    return compiler.test(condition)


def sort_rows(
    rows: list[Fields],
    order: Sequence[Order],
    row_type: RowType,
    *,
    case_insensitive: bool = False,
    hidden: frozenset[str] = frozenset(),
    aliases: Mapping[str, str] = NO_ALIASES,
) -> None:
    """Sort in place. Nulls come first ascending, as in HANA.

    Raises:
        SlError: 201 for an unknown name.
    """
    compiler = _Compiler(row_type, case_insensitive=case_insensitive, hidden=hidden, aliases=aliases)
    for each in reversed(order):  # sorts are stable: the last key first
        read = compiler.read(each.name, stored=True)

        def sort_key(row: Fields, read: _Read = read) -> tuple[bool, _Plain]:
            value = read(row)
            return (False, "") if value is None else (True, value)

        rows.sort(key=sort_key, reverse=each.descending)


class _Compiler:
    def __init__(
        self, row_type: RowType, *, case_insensitive: bool, hidden: frozenset[str], aliases: Mapping[str, str]
    ) -> None:
        self._row_type = row_type
        self._aliases = aliases
        self._fold = case_insensitive
        self._hidden = hidden

    def test(self, condition: Condition) -> Test:
        if isinstance(condition, Comparison):
            return self._comparison(condition)
        if isinstance(condition, FunctionCall):
            return self._call(condition)
        if isinstance(condition, Not):
            return negated(self.test(condition.term))
        tests = [self.test(term) for term in condition.terms]
        return all_of(tests) if isinstance(condition, AllOf) else any_of(tests)

    def read(self, name: str, *, stored: bool = False) -> _Read:
        """Return a reader of a property; `stored` reads enums as the database does, for order."""
        sent_name, name = name, self._aliases.get(name, name)
        if name not in self._row_type.defaults or name in self._hidden:
            raise unknown_filter_property(sent_name)
        default = self._row_type.defaults[name]
        enum = self._row_type.enums.get(name)
        if enum is not None and stored:
            members = enum.members

            def read_stored(row: Mapping[str, Value]) -> _Plain | None:
                value = row.get(name, default)
                return members.get(value, value) if isinstance(value, str) else None

            return read_stored
        if self._fold and self._type_of(name) == EDM_STRING:

            def read_folded(row: Mapping[str, Value]) -> _Plain | None:
                value = row.get(name, default)
                return value.casefold() if isinstance(value, str) else None

            return read_folded

        def read_plain(row: Mapping[str, Value]) -> _Plain | None:
            value = row.get(name, default)
            return None if isinstance(value, list | dict) else value

        return read_plain

    def _type_of(self, name: str) -> str:
        return self._row_type.type.properties[self._aliases.get(name, name)].type_name

    def _comparison(self, comparison: Comparison) -> Test:
        name, value = comparison.name, comparison.value
        ordered = comparison.operator not in {"eq", "ne"}
        read = self.read(name, stored=ordered)
        if isinstance(value, Literal) and value.kind is Kind.NAME:
            wanted_null = comparison.operator == "eq"
            return lambda row: (read(row) is None) is wanted_null
        compare = OPERATORS[comparison.operator]
        if isinstance(value, Name):
            return self._between_properties(comparison, value)
        expected = self._literal(name, value, ordered=ordered)

        def test(row: Mapping[str, Value]) -> bool | None:
            stored = read(row)
            return None if stored is None else compare(stored, expected)

        return test

    def _between_properties(self, comparison: Comparison, value: Name) -> Test:
        read, other = self.read(comparison.name, stored=True), self.read(value.name, stored=True)
        kinds = {_comparable(self._type_of(comparison.name)), _comparable(self._type_of(value.name))}
        if len(kinds) > 1:
            raise bad_filter()
        compare = OPERATORS[comparison.operator]

        def test(row: Mapping[str, Value]) -> bool | None:
            left, right = read(row), other(row)
            return None if left is None or right is None else compare(left, right)

        return test

    def _literal(self, name: str, literal: Literal, *, ordered: bool) -> _Plain:
        enum = self._row_type.enums.get(self._aliases.get(name, name))
        type_name = self._type_of(name)
        value: _Plain | None = None
        if enum is not None:
            # Enum members are quoted, by name or by database value (SAP manual 1.22, 3.5.1).
            member = enum.member(literal.text) if literal.kind is Kind.STRING else None
            value = enum.members[member] if ordered and member is not None else member
        elif type_name == EDM_DATE:
            # Dates are quoted; an unquoted one is refused (live report), a number too.
            value = parse_date(literal.text) if literal.kind is not Kind.NUMBER else None
        elif type_name == EDM_TIME:
            value = parse_time(literal.text) if literal.kind is not Kind.NUMBER else None
        elif literal.kind is Kind.DATE:
            value = None
        elif type_name == EDM_INT32:
            value = _as_integer(literal.text)
        elif type_name == EDM_DOUBLE:
            value = parse_number(literal.text)
        else:
            value = literal.text.casefold() if self._fold else literal.text
        if value is None:
            raise bad_filter()
        return value

    def _call(self, call: FunctionCall) -> Test:
        read = self.read(call.name)
        if self._type_of(call.name) != EDM_STRING:
            raise bad_filter()
        expected = call.text.casefold() if self._fold else call.text
        matches = _TEXT_TESTS[call.function]

        def test(row: Mapping[str, Value]) -> bool | None:
            value = read(row)
            return matches(value, expected) if isinstance(value, str) else None

        return test


def _as_integer(text: str) -> _Plain | None:
    """Read an integer; a fraction stays comparable (`DocEntry gt 1.5`)."""
    integer = parse_integer(text)
    return parse_number(text) if integer is None else integer


def _comparable(type_name: str) -> str:
    return "number" if type_name in {EDM_INT32, EDM_DOUBLE} else type_name


def negated(test: Callable[[_R], bool | None]) -> Callable[[_R], bool | None]:
    """Return the test of `not`."""

    def inverse(row: _R) -> bool | None:
        result = test(row)
        return None if result is None else not result

    return inverse


def all_of(tests: Sequence[Callable[[_R], bool | None]]) -> Callable[[_R], bool | None]:
    """Return the test of `and`."""

    def every(row: _R) -> bool | None:
        result: bool | None = True
        for test in tests:
            found = test(row)
            if found is False:
                return False
            if found is None:
                result = None
        return result

    return every


def any_of(tests: Sequence[Callable[[_R], bool | None]]) -> Callable[[_R], bool | None]:
    """Return the test of `or`."""

    def some(row: _R) -> bool | None:
        result: bool | None = False
        for test in tests:
            found = test(row)
            if found is True:
                return True
            if found is None:
                result = None
        return result

    return some
