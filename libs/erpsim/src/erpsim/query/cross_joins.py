"""Cross-joins: rows of several entity sets and collections, paired by the conditions of a filter.

SAP manual 1.22, 3.7.9 and 3.7.10: `$crossjoin(Orders,Orders/DocumentLines)`. Rows of a collection have no
link to their record but the columns that they hold, so without a condition every pair comes back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

import attrs

from erpsim.company.company import Company
from erpsim.company.errors import (
    NotSimulatedError,
    SlError,
    bad_filter,
    bad_option,
    unknown_filter_property,
    unknown_property,
    unknown_set,
)
from erpsim.company.exchange import Caller, Fields, Value
from erpsim.company.projection import WRITE_ONLY
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.row_types import RowType
from erpsim.query.evaluation import OPERATORS, all_of, any_of, compile_filter, negated
from erpsim.query.filters import AllOf, Comparison, Condition, FunctionCall, Name, Not, parse_filter

MAX_PAIRS: Final = 2_000_000
"""The simulator compares at most so many pairs; a real database would be slow, too."""

_PATH: Final = re.compile(r"\$crossjoin\(([A-Za-z0-9_/,\s]+)\)")
_EXPAND: Final = re.compile(
    r"\s*([A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)?)\s*\(\s*\$select\s*=([^()]*)\)\s*(?:,|$)", re.ASCII
)
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_KNOWN: Final = frozenset({"$expand", "$filter", "$skip", "$top"})

_Combination: TypeAlias = "Mapping[str, Fields]"
_Test: TypeAlias = "Callable[[_Combination], bool | None]"


@attrs.frozen
class JoinPage:
    """A page of a cross-join.

    Args:
        rows: an object with a member for each selected set or collection, named by its path.
        next_skip: `$skip` of the next page, None on the last.
    """

    rows: list[Value]
    next_skip: int | None


def cross_join(
    company: Company, path: str, options: Sequence[tuple[str, str]], page_size: int, caller: Caller
) -> JoinPage:
    """Join sets and collections.

    Args:
        company: the company.
        path: `$crossjoin(A,A/Collection)`, decoded.
        options: `$expand` with `$select` of each path, `$filter`, `$top` and `$skip`, decoded.
        page_size: rows of a page; 0 for all.
        caller: the user and generation of the call.

    Raises:
        SlError: -1000 for a path or names that do not exist, 201 for a condition that does not parse; 501 for
            options that real servers take and the simulator does not.
    """
    match = _PATH.fullmatch(path.strip())
    if match is None or not options:
        # Text and number of SAP manual 1.22, 3.7.9.
        raise SlError(400, -1000, "invalid $crossjoin query")
    sources = [_source(company, each.strip()) for each in match[1].split(",")]
    given = _given(options)
    selected = _selected(given.get("$expand", ""), {source.path: source for source in sources})
    rows = _joined(sources, given.get("$filter"), case_insensitive=caller.case_insensitive)
    skip, top = _number(given, "$skip") or 0, _number(given, "$top")
    limits = [limit for limit in (top, page_size or None) if limit is not None]
    page_end = skip + min(limits) if limits else None
    page = list(islice(rows, skip, page_end))
    has_more = page_end is not None and next(rows, None) is not None and len(page) != top
    shown: list[Value] = [
        {
            source.path: company.projection.selected(row[source.path], source.row_type, names, caller.dialect)
            for source, names in selected
        }
        for row in page
    ]
    return JoinPage(shown, page_end if has_more else None)


@attrs.frozen
class _Source:
    """One set or collection of a join, with its rows."""

    path: str
    row_type: RowType
    rows: Sequence[Fields]


def _source(company: Company, path: str) -> _Source:
    set_name, _, collection = path.partition("/")
    if set_name not in company.facts.entity_sets:
        raise unknown_set()
    row_type = company.row_type(set_name)
    table = company.rows(set_name)
    if not collection:
        return _Source(path, row_type, list(table))
    nested = row_type.collections.get(collection)
    if nested is None:
        raise unknown_property(collection, row_type.type.name)
    return _Source(path, nested, [row for record in table for row in rows_of(record, collection)])


def _given(options: Sequence[tuple[str, str]]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, text in options:
        if name in given:
            raise bad_option(name)
        if name not in _KNOWN:
            raise NotSimulatedError(f"the option {name} of a cross-join")
        given[name] = text
    return given


def _number(given: Mapping[str, str], name: str) -> int | None:
    text = given.get(name)
    if text is None:
        return None
    if not _NUMBER.fullmatch(text.strip()):
        raise bad_option(name)
    return int(text)


def _selected(text: str, sources: Mapping[str, _Source]) -> list[tuple[_Source, tuple[str, ...]]]:
    selected: list[tuple[_Source, tuple[str, ...]]] = []
    position = 0
    while position < len(text):
        match = _EXPAND.match(text, position)
        source = sources.get(match[1]) if match is not None else None
        if match is None or source is None:
            raise bad_option("$expand")
        names = tuple(name.strip() for name in match[2].split(","))
        for name in names:
            if name not in source.row_type.defaults or name in WRITE_ONLY:
                raise unknown_property(name, source.row_type.type.name)
        selected.append((source, names))
        position = match.end()
    if not selected:
        raise bad_option("$expand")
    return selected


def _joined(
    sources: Sequence[_Source], condition_text: str | None, *, case_insensitive: bool
) -> Iterator[dict[str, Fields]]:
    compiler = _Compiler({source.path: source for source in sources}, case_insensitive)
    condition = None if condition_text is None else parse_filter(condition_text, "Edm.ComplexType")
    terms = condition.terms if isinstance(condition, AllOf) else (condition,) if condition is not None else ()
    waiting = [(compiler.paths(term), compiler.test(term)) for term in terms]
    found: list[dict[str, Fields]] = [{}]
    joined: set[str] = set()
    for source in sources:
        own = [test for paths, test in waiting if paths == {source.path}]
        rows = [row for row in source.rows if all(test({source.path: row}) for test in own)]
        joined.add(source.path)
        linking = [(paths, test) for paths, test in waiting if len(paths) > 1 and source.path in paths]
        ready = [test for paths, test in linking if paths <= joined]
        if len(found) * len(rows) > MAX_PAIRS:
            raise NotSimulatedError("a cross-join of so many rows")
        pairs = ({**combination, source.path: row} for combination in found for row in rows)
        found = [pair for pair in pairs if all(test(pair) for test in ready)]
    return iter(found)


@attrs.frozen
class _Compiler:
    """Compiles conditions whose names begin with the path of their source."""

    sources: Mapping[str, _Source]
    case_insensitive: bool

    def paths(self, condition: Condition) -> set[str]:
        """Return the paths that a condition names."""
        if isinstance(condition, Comparison):
            names = [condition.name, *([condition.value.name] if isinstance(condition.value, Name) else [])]
            return {self._split(name)[0].path for name in names}
        if isinstance(condition, FunctionCall):
            return {self._split(condition.name)[0].path}
        terms = (condition.term,) if isinstance(condition, Not) else condition.terms
        return set().union(*(self.paths(term) for term in terms))

    def test(self, condition: Condition) -> _Test:
        """Return the test of a combination of rows, with SQL's three values."""
        if isinstance(condition, Comparison):
            value = condition.value
            if isinstance(value, Name):
                return self._between(condition, value)
            source, name = self._split(condition.name)
            return self._of_one(source, attrs.evolve(condition, name=name))
        if isinstance(condition, FunctionCall):
            source, name = self._split(condition.name)
            return self._of_one(source, attrs.evolve(condition, name=name))
        if isinstance(condition, Not):
            return negated(self.test(condition.term))
        tests = [self.test(term) for term in condition.terms]
        return all_of(tests) if isinstance(condition, AllOf) else any_of(tests)

    def _of_one(self, source: _Source, condition: Condition) -> _Test:
        test = compile_filter(
            condition, source.row_type, case_insensitive=self.case_insensitive, hidden=WRITE_ONLY
        )
        return lambda combination: test(combination[source.path])

    def _between(self, condition: Comparison, value: Name) -> _Test:
        left, own = self._split(condition.name)
        right, theirs = self._split(value.name)
        compare = OPERATORS[condition.operator]

        def test(combination: _Combination) -> bool | None:
            first = combination[left.path].get(own, left.row_type.defaults[own])
            second = combination[right.path].get(theirs, right.row_type.defaults[theirs])
            return None if first is None or second is None else compare(first, second)

        return test

    def _split(self, name: str) -> tuple[_Source, str]:
        path, slash, own = name.rpartition("/")
        source = self.sources.get(path)
        if not slash:
            raise bad_filter()
        if source is None or own not in source.row_type.defaults or own in WRITE_ONLY:
            raise unknown_filter_property(name)
        return source, own
