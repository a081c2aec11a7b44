"""A client's raw query string, checked and taken apart."""

from erpclient.odata.limits import DEFAULT_LIMITS, QueryLimits
from erpclient.odata.query import ListQuery, RecordQuery
from erpclient.odata.rules import OptionRules


def parse_list_query(raw: bytes | str, rules: OptionRules, limits: QueryLimits = DEFAULT_LIMITS) -> ListQuery:
    """Read the query string of a list request.

    Args:
        raw: query string as received, still percent-encoded, without ``?``.
        rules: what the resource allows.
        limits: how much is allowed.

    Raises:
        InvalidOption: the first fault found.
    """
    raise NotImplementedError


def parse_record_query(
    raw: bytes | str, rules: OptionRules, limits: QueryLimits = DEFAULT_LIMITS
) -> RecordQuery:
    """Read the query string of a request for one record: ``$select`` and ``$expand`` only.

    Args:
        raw: query string as received, still percent-encoded, without ``?``.
        rules: what the resource allows.
        limits: how much is allowed.

    Raises:
        InvalidOption: the first fault found.
    """
    raise NotImplementedError
