"""Upper bounds of one query."""

from typing import Final

from attrs import frozen


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
