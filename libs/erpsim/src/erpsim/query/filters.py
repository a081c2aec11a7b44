"""The grammar of `$filter`.

Operators `eq ne gt ge lt le and or not`, brackets, and the functions `startswith endswith contains
substringof`: nothing else (SAP manual 1.29, 3.6; live refusals of lambdas and of `toupper`). Names and
operators are case-sensitive. A name on the right side is taken as another property of the same entity.
"""

from __future__ import annotations

import functools
from typing import TypeAlias

import attrs

from erpsim.company.errors import bad_filter, unknown_function
from erpsim.query.lexer import Kind, Word, split_words

COMPARISONS = frozenset({"eq", "ne", "gt", "ge", "lt", "le"})
FUNCTIONS = frozenset({"startswith", "endswith", "contains", "substringof"})
MAX_DEPTH = 60
"""Maximum nesting of brackets and `not`: more than clients write, less than Python's stack."""


@attrs.frozen
class Literal:
    """A value as written.

    Args:
        kind: STRING, NUMBER or DATE; NAME for the bare word `null`.
        text: without quotes.
    """

    kind: Kind
    text: str


@attrs.frozen
class Name:
    """A property on the right side."""

    name: str


@attrs.frozen
class Comparison:
    """`name operator value`."""

    name: str
    operator: str
    value: Literal | Name


@attrs.frozen
class FunctionCall:
    """`function(name, 'text')`; `substringof` has its arguments the other way round."""

    function: str
    name: str
    text: str


@attrs.frozen
class Not:
    """`not (...)`."""

    term: Condition


@attrs.frozen
class AllOf:
    """`a and b and c`."""

    terms: tuple[Condition, ...]


@attrs.frozen
class AnyOf:
    """`a or b or c`."""

    terms: tuple[Condition, ...]


Condition: TypeAlias = Comparison | FunctionCall | Not | AllOf | AnyOf


@functools.lru_cache(maxsize=512)
def parse_filter(text: str, type_name: str) -> Condition:
    """Parse a filter.

    Args:
        text: decoded.
        type_name: the entity type, named in the refusal of unknown functions.

    Raises:
        SlError: 400 with code 201.
    """
    parser = _Parser(split_words(text), type_name)
    condition = parser.any(0)
    parser.expect(Kind.END)
    return condition


class _Parser:
    def __init__(self, words: list[Word], type_name: str) -> None:
        self._words = words
        self._position = 0
        self._type_name = type_name

    def expect(self, kind: Kind) -> Word:
        word = self._words[self._position]
        if word.kind is not kind:
            raise bad_filter()
        self._position += 1
        return word

    def _take(self, text: str) -> bool:
        is_next = self._words[self._position] == Word(Kind.NAME, text)
        self._position += is_next
        return is_next

    def any(self, depth: int) -> Condition:
        terms = [self._all(depth)]
        while self._take("or"):
            terms.append(self._all(depth))
        return terms[0] if len(terms) == 1 else AnyOf(tuple(terms))

    def _all(self, depth: int) -> Condition:
        terms = [self._term(depth)]
        while self._take("and"):
            terms.append(self._term(depth))
        return terms[0] if len(terms) == 1 else AllOf(tuple(terms))

    def _term(self, depth: int) -> Condition:
        if depth >= MAX_DEPTH:
            raise bad_filter()
        if self._take("not"):
            return Not(self._term(depth + 1))
        if self._words[self._position].kind is Kind.OPEN:
            self._position += 1
            condition = self.any(depth + 1)
            self.expect(Kind.CLOSE)
            return condition
        name = self.expect(Kind.NAME).text
        if self._words[self._position].kind is Kind.OPEN:
            return self._call(name)
        operator = self.expect(Kind.NAME).text
        if operator not in COMPARISONS:
            raise bad_filter()
        return Comparison(name, operator, self._value(operator))

    def _call(self, function: str) -> FunctionCall:
        if function not in FUNCTIONS:
            raise unknown_function(function, self._type_name)
        self.expect(Kind.OPEN)
        if function == "substringof":
            text = self.expect(Kind.STRING).text
            self.expect(Kind.COMMA)
            name = self.expect(Kind.NAME).text
        else:
            name = self.expect(Kind.NAME).text
            self.expect(Kind.COMMA)
            text = self.expect(Kind.STRING).text
        self.expect(Kind.CLOSE)
        return FunctionCall(function, name, text)

    def _value(self, operator: str) -> Literal | Name:
        word = self._words[self._position]
        self._position += 1
        if word.kind in {Kind.STRING, Kind.NUMBER, Kind.DATE}:
            return Literal(word.kind, word.text)
        if word.kind is not Kind.NAME:
            raise bad_filter()
        if word.text == "null":
            if operator not in {"eq", "ne"}:
                raise bad_filter()
            return Literal(Kind.NAME, "null")
        return Name(word.text)
