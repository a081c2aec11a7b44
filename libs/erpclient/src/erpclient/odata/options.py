"""Checks and splits a client's raw query string."""

import re
from functools import lru_cache
from typing import Final

from erpclient.odata.errors import Expected, Hint, InvalidOption, ODataErrorCode, shown
from erpclient.odata.expressions.filters import read_filter
from erpclient.odata.expressions.grammar import Grammar, grammar_for
from erpclient.odata.expressions.lists import read_expand, read_orderby, read_select
from erpclient.odata.limits import DEFAULT_LIMITS, QueryLimits
from erpclient.odata.query import Dialect, ListQuery, RecordQuery
from erpclient.odata.query_string import split_options
from erpclient.odata.resource_rules import OptionRules

_LIST_OPTIONS: Final = ("$select", "$filter", "$orderby", "$expand", "$top", "$skip")
_RECORD_OPTIONS: Final = ("$select", "$expand")
_SUM_OPTIONS: Final = ("$select", "$filter")
_INTEGER: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_REMEMBERED: Final = 1_024
# One character of a raw query is at most three of the encoded one: ``'`` becomes ``%27``.
_LARGEST_GROWTH: Final = 3
# Bytes reserved for options that the client did not send.
_ADDITIONS: Final = 64


def parse_list_query(raw: bytes | str, rules: OptionRules, limits: QueryLimits = DEFAULT_LIMITS) -> ListQuery:
    """Parse the query string of a list request.

    The results of the last thousand or so different queries are cached: the same text under the same rules
    returns the same object.

    Args:
        raw: query string as received, still percent-encoded, without ``?``.
        rules: what the resource allows.
        limits: upper bounds.

    Raises:
        InvalidOption: the first fault found.
    """
    octets = _as_octets(raw)
    read = _read_list_query if len(octets) > limits.cached_query_bytes else _remembered_list_query
    return read(octets, rules, limits)


def parse_record_query(
    raw: bytes | str, rules: OptionRules, limits: QueryLimits = DEFAULT_LIMITS
) -> RecordQuery:
    """Parse the query string of a request for one record: ``$select`` and ``$expand`` only.

    Args:
        raw: query string as received, still percent-encoded, without ``?``.
        rules: what the resource allows.
        limits: upper bounds.

    Raises:
        InvalidOption: the first fault found.
    """
    octets = _as_octets(raw)
    read = _read_record_query if len(octets) > limits.cached_query_bytes else _remembered_record_query
    return read(octets, rules, limits)


def parse_sum_query(raw: bytes | str, rules: OptionRules, limits: QueryLimits = DEFAULT_LIMITS) -> ListQuery:
    """Parse the query string of a request for sums: ``$select`` and ``$filter`` of a list only.

    Args:
        raw: query string as received, still percent-encoded, without ``?``.
        rules: what the resource allows.
        limits: upper bounds.

    Raises:
        InvalidOption: the first fault found.
    """
    octets = _as_octets(raw)
    split_options(octets, _SUM_OPTIONS, limits)  # refuses the other options of a list
    return parse_list_query(octets, rules, limits)


def check_encoded_length(encoded: str, limits: QueryLimits = DEFAULT_LIMITS) -> None:
    """Check the length of an upstream query string.

    Raises:
        InvalidOption: it is too long.
    """
    if len(encoded) > limits.encoded_bytes:
        raise InvalidOption(
            ODataErrorCode.LIMIT, f"the query is longer than {limits.encoded_bytes} bytes when encoded"
        )


def _as_octets(raw: bytes | str) -> bytes:
    # Lone surrogates stay invalid UTF-8 and are refused as such.
    return raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass")


def _read_list_query(raw: bytes, rules: OptionRules, limits: QueryLimits) -> ListQuery:
    options = split_options(raw, _LIST_OPTIONS, limits)
    grammar = grammar_for(rules, limits)
    select, expand = _read_names(options, grammar)
    condition = options.get("$filter")
    order = options.get("$orderby")
    query = ListQuery(
        select=select,
        filter=None if condition is None else read_filter(condition, grammar),
        orderby=() if order is None else read_orderby(order, grammar),
        expand=expand,
        top=_read_integer(options, "$top", limits.default_top, 1, limits.max_top),
        skip=_read_integer(options, "$skip", 0, 0, limits.max_skip),
    )
    # Most queries are too short to grow past the limit; only the others are measured.
    if _LARGEST_GROWTH * len(raw) + _ADDITIONS > limits.encoded_bytes:
        check_encoded_length(query.encode(Dialect.V1), limits)
    return query


def _read_record_query(raw: bytes, rules: OptionRules, limits: QueryLimits) -> RecordQuery:
    options = split_options(raw, _RECORD_OPTIONS, limits)
    select, expand = _read_names(options, grammar_for(rules, limits))
    return RecordQuery(select=select, expand=expand)


_remembered_list_query = lru_cache(maxsize=_REMEMBERED)(_read_list_query)
_remembered_record_query = lru_cache(maxsize=_REMEMBERED)(_read_record_query)


def _read_names(options: dict[str, str], grammar: Grammar) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    expanded = options.get("$expand")
    selected = options.get("$select")
    expand = () if expanded is None else read_expand(expanded, grammar)
    return None if selected is None else read_select(selected, expand, grammar), expand


def _read_integer(options: dict[str, str], option: str, default: int, least: int, most: int) -> int:
    text = options.get(option)
    if text is None:
        return default
    if _INTEGER.fullmatch(text) and least <= (value := int(text)) <= most:
        return value
    raise InvalidOption(
        ODataErrorCode.BAD_VALUE,
        f"from {least} to {most}",
        option=option,
        position=0,
        expected=(Expected.INTEGER,),
        found=shown(text),
        hint=Hint.TOP_1_COUNTS if (option, text) == ("$top", "0") else None,
    )
