"""Parse the OData text of clients and rewrite it for the Service Layer, or reject it.

A client's text never goes upstream. It is decoded once, parsed by a small grammar, rewritten from its tokens
and percent-encoded once. Text outside the grammar is rejected with its position.
"""

from erpclient.odata.entity_tags import parse_if_match
from erpclient.odata.errors import (
    Expected,
    Hint,
    InvalidEntityTag,
    InvalidKey,
    InvalidLiteral,
    InvalidOption,
    ODataError,
    ODataErrorCode,
)
from erpclient.odata.keys import CompositeKey, DateKey, EntityKey, IntKey, StrKey
from erpclient.odata.limits import DEFAULT_LIMITS, QueryLimits
from erpclient.odata.literals import quote_string
from erpclient.odata.options import (
    check_encoded_length,
    parse_list_query,
    parse_record_query,
    parse_sum_query,
)
from erpclient.odata.query import Dialect, ListQuery, RecordQuery
from erpclient.odata.resource_rules import OptionRules
from erpclient.odata.sums import SumQuery

__all__ = [
    "DEFAULT_LIMITS",
    "CompositeKey",
    "DateKey",
    "Dialect",
    "EntityKey",
    "Expected",
    "Hint",
    "IntKey",
    "InvalidEntityTag",
    "InvalidKey",
    "InvalidLiteral",
    "InvalidOption",
    "ListQuery",
    "ODataError",
    "ODataErrorCode",
    "OptionRules",
    "QueryLimits",
    "RecordQuery",
    "StrKey",
    "SumQuery",
    "check_encoded_length",
    "parse_if_match",
    "parse_list_query",
    "parse_record_query",
    "parse_sum_query",
    "quote_string",
]
