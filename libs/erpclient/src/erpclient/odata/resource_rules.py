"""Rules of one resource for queries, and upper bounds for clients."""

import re
from collections.abc import Iterable
from typing import Final

from attrs import Attribute, field, frozen

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME_AFTER_DIGIT: Final = re.compile(r"[0-9][A-Za-z0-9_]*")


def _names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(names)


def _casefolded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names)


def _check_expand(_: "OptionRules", __: "Attribute[frozenset[str]]", names: frozenset[str]) -> None:
    if invalid := sorted(name for name in names if not _NAME.fullmatch(name)):
        raise ValueError(f"not names of navigation properties: {invalid}")


def _check_extra_names(_: "OptionRules", __: "Attribute[frozenset[str]]", names: frozenset[str]) -> None:
    if invalid := sorted(name for name in names if not _NAME_AFTER_DIGIT.fullmatch(name)):
        raise ValueError(f"not names that start with a digit: {invalid}")


@frozen(cache_hash=True)
class OptionRules:
    """Rules of one resource beyond the common grammar.

    Attributes:
        expand: navigation properties that ``$expand`` may name, spelt exactly.
        denied: property names rejected in every clause, in any letter case.
        extra_names: property names the grammar would refuse because they start with a digit
            (rows of user-defined objects whose code starts with one).

    Raises:
        ValueError: a name of ``expand`` or ``extra_names`` is not of the right form.
    """

    expand: frozenset[str] = field(default=frozenset(), converter=_names, validator=_check_expand)
    denied: frozenset[str] = field(default=frozenset(), converter=_casefolded)
    extra_names: frozenset[str] = field(default=frozenset(), converter=_names, validator=_check_extra_names)


@frozen(cache_hash=True)
class QueryLimits:
    """Upper bounds of one query. Lengths are characters of the decoded value unless stated otherwise.

    Attributes:
        query_bytes: raw query string as received, checked before anything is decoded.
        encoded_bytes: query string as sent upstream. The balancer in front of the Service Layer is an Apache,
            whose request line ends at 8190 bytes; this leaves room for method, path and protocol version.
        filter_length: ``$filter``.
        filter_conditions: comparisons and function calls in one ``$filter``.
        filter_depth: parentheses inside parentheses, negated or not.
        string_length: characters between the quotes of one literal, a doubled quote counted once.
        number_digits: digits before the decimal point.
        number_decimals: digits behind it.
        name_length: one property name.
        select_length: ``$select``.
        select_names: names in ``$select``.
        orderby_length: ``$orderby``.
        orderby_names: names in ``$orderby``.
        expand_length: ``$expand``.
        expand_names: names in ``$expand``.
        default_top: rows of a list where ``$top`` is not given.
        max_top: largest ``$top``.
        max_skip: largest ``$skip``.
        cached_query_bytes: longest raw query whose result is remembered.
    """

    query_bytes: int = 16_384
    encoded_bytes: int = 7_500
    filter_length: int = 4_096
    filter_conditions: int = 100
    filter_depth: int = 16
    string_length: int = 254
    number_digits: int = 19
    number_decimals: int = 10
    name_length: int = 128
    select_length: int = 2_048
    select_names: int = 100
    orderby_length: int = 512
    orderby_names: int = 8
    expand_length: int = 256
    expand_names: int = 4
    default_top: int = 50
    max_top: int = 500
    max_skip: int = 2_147_483_647
    cached_query_bytes: int = 2_048


DEFAULT_LIMITS: Final = QueryLimits()
