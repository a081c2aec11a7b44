"""Executes `$apply`: sums, counts and groups over the rows that a filter leaves.

Grammar and semantics: SAP manual 1.22, 3.7, and SAP's blogs on aggregation (9.1 PL12) and grouping
(9.2 PL03). Refusals of text that does not parse are assumed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

import attrs

from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, bad_option, unknown_filter_property
from erpsim.company.exchange import Caller, Entity, Fields, ListResult, Value
from erpsim.company.habits import OtherHabit
from erpsim.company.projection import WRITE_ONLY
from erpsim.company.rows.row_types import RowType
from erpsim.facts.model import EDM_DOUBLE, EDM_INT32
from erpsim.query.evaluation import compile_filter
from erpsim.query.filters import Condition, parse_filter
from erpsim.query.options import QueryOptions

_OPTION = "$apply"
_NAME = r"[A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)?"
_ROWS = re.compile(r"\$count +as +(?P<alias>[A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
_METHOD = re.compile(
    rf"(?P<name>{_NAME}) +with +(?P<method>[a-z]+) +as +(?P<alias>[A-Za-z_][A-Za-z0-9_]*)", re.ASCII
)
_AGGREGATE = re.compile(r"aggregate\((?P<aggregates>[^()]*)\)", re.ASCII)
_GROUPS = re.compile(
    r"groupby\( *\((?P<names>[^()]*)\) *(?:, *aggregate\((?P<aggregates>[^()]*)\) *)?\)", re.ASCII
)

_Values: TypeAlias = "list[Any]"


def _average(values: _Values) -> Decimal:
    return Decimal(sum(values)) / len(values)


# Nulls do not count; of no value at all each method but the last gives null (the blog on aggregation).
_NUMERIC: Mapping[str, Callable[[_Values], Value]] = {"sum": sum, "average": _average}
_METHODS: Mapping[str, Callable[[_Values], Value]] = {**_NUMERIC, "min": min, "max": max}
_DISTINCT = "countdistinct"


@attrs.frozen
class _Aggregate:
    """One result: `name` is None for the number of rows."""

    name: str | None
    method: str
    alias: str


@attrs.frozen
class _Transformation:
    filter: str | None
    names: tuple[str, ...]
    aggregates: tuple[_Aggregate, ...]
    is_grouped: bool


def aggregate_rows(company: Company, set_name: str, options: QueryOptions, caller: Caller) -> ListResult:
    """Answer `GET Set?$apply=…`.

    Raises:
        SlError: 201 for text that does not parse; 501 for options beside it other than `$filter`.
    """
    if options.select or options.orderby or options.expand or options.inline_count:
        raise NotSimulatedError("$apply together with other options")
    if company.switches.has(OtherHabit.NO_APPLY):
        raise bad_option(_OPTION)
    transformation = _parse(options.apply or "", set_name)
    row_type = company.row_type(set_name)
    _check(transformation, row_type)
    groups: dict[tuple[Value, ...], list[Fields]] = {} if transformation.is_grouped else {(): []}
    for row in _matches(company, set_name, (transformation.filter, options.filter), caller):
        key = tuple(_plain(row, name, row_type) for name in transformation.names)
        groups.setdefault(key, []).append(row)
    show = company.projection.selected
    result = [
        {
            **show(rows[0] if rows else {}, row_type, transformation.names, caller.dialect),
            **{each.alias: _result(each, rows, row_type) for each in transformation.aggregates},
        }
        for rows in groups.values()
    ]
    skip = options.skip or 0
    size = company.switches.page_size if options.page_size is None else options.page_size
    page_end = skip + size if size else len(result)
    page = [Entity(fields=fields, key="") for fields in result[skip:page_end]]
    return ListResult(rows=page, next_skip=page_end if page_end < len(result) else None, page_size=size)


def _matches(
    company: Company, set_name: str, filters: Iterable[str | None], caller: Caller
) -> Iterable[Fields]:
    row_type = company.row_type(set_name)
    conditions = [parse_filter(each, row_type.type.name) for each in filters if each is not None]
    tests = [_test(condition, company, row_type, caller) for condition in conditions]
    if company.switches.has(OtherHabit.APPLY_FILTER_IGNORED):
        tests = []
    return (row for row in company.database.table(set_name) if all(test(row) for test in tests))


def _test(
    condition: Condition, company: Company, row_type: RowType, caller: Caller
) -> Callable[[Mapping[str, Value]], bool | None]:
    fold = caller.case_insensitive and not company.switches.has(OtherHabit.CASE_HEADER_IGNORED)
    return compile_filter(condition, row_type, case_insensitive=fold, hidden=WRITE_ONLY)


def _parse(text: str, set_name: str) -> _Transformation:
    condition, rest = _split_filter(text.strip())
    if (match := _AGGREGATE.fullmatch(rest)) is not None:
        return _Transformation(condition, (), _aggregates(match["aggregates"], set_name), is_grouped=False)
    if (match := _GROUPS.fullmatch(rest)) is None:
        raise bad_option(_OPTION)
    names = tuple(_own_name(each.strip(), set_name) for each in match["names"].split(","))
    aggregates = match["aggregates"]
    return _Transformation(
        condition, names, _aggregates(aggregates, set_name) if aggregates is not None else (), is_grouped=True
    )


def _split_filter(text: str) -> tuple[str | None, str]:
    """Split `filter(…)/rest`; brackets inside texts do not count."""
    head = "filter("
    if not text.startswith(head):
        return None, text
    depth, in_text = 1, False
    for position in range(len(head), len(text)):
        sign = text[position]
        if sign == "'":
            in_text = not in_text  # a doubled quote ends and begins the text again
        elif not in_text:
            depth += (sign == "(") - (sign == ")")
            if not depth:
                condition, rest = text[len(head) : position], text[position + 1 :]
                if not rest.startswith("/"):
                    raise bad_option(_OPTION)
                return condition, rest[1:].strip()
    raise bad_option(_OPTION)


def _aggregates(text: str, set_name: str) -> tuple[_Aggregate, ...]:
    found: list[_Aggregate] = []
    for part in text.split(","):
        if (match := _ROWS.fullmatch(part.strip())) is not None:
            found.append(_Aggregate(None, "", match["alias"]))
            continue
        match = _METHOD.fullmatch(part.strip())
        if match is None or match["method"] not in {*_METHODS, _DISTINCT}:
            raise bad_option(_OPTION)
        found.append(_Aggregate(_own_name(match["name"], set_name), match["method"], match["alias"]))
    if len({each.alias for each in found}) < len(found):
        raise bad_option(_OPTION)
    return tuple(found)


def _own_name(text: str, set_name: str) -> str:
    """Read `CardCode` or `Orders/CardCode`."""
    return text.removeprefix(f"{set_name}/")


def _check(transformation: _Transformation, row_type: RowType) -> None:
    named = [each for each in transformation.aggregates if each.name is not None]
    for name in (*transformation.names, *(each.name or "" for each in named)):
        if name not in row_type.defaults or name in WRITE_ONLY:
            raise unknown_filter_property(name)
    for each in named:
        kind = row_type.type.properties[each.name or ""].type_name
        if each.method in _NUMERIC and kind not in {EDM_INT32, EDM_DOUBLE}:
            raise bad_option(_OPTION)


def _result(aggregate: _Aggregate, rows: list[Fields], row_type: RowType) -> Value:
    if aggregate.name is None:
        return len(rows)
    values = [each for row in rows if (each := _plain(row, aggregate.name, row_type)) is not None]
    if aggregate.method == _DISTINCT:
        return len(set(values))
    return _METHODS[aggregate.method](values) if values else None


def _plain(row: Mapping[str, Value], name: str, row_type: RowType) -> Any:
    return row.get(name, row_type.defaults[name])
