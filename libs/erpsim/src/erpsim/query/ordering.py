"""The grammar of `$orderby`: names with `asc` or `desc`, blanks after commas allowed (SAP manual 1.29,
3.6)."""

from __future__ import annotations

import re

import attrs

from erpsim.company.errors import bad_option

_KEY = re.compile(r"\s*([A-Za-z0-9_/]+)(?:\s+(asc|desc))?\s*", re.ASCII)


@attrs.frozen
class Order:
    """One sort key."""

    name: str
    descending: bool = False


def parse_order(text: str) -> tuple[Order, ...]:
    """Parse an order.

    Raises:
        SlError: 400 when it does not parse; unknown names are found when rows are sorted.
    """
    matches = [_KEY.fullmatch(part) for part in text.split(",")]
    if any(match is None for match in matches):
        raise bad_option("$orderby")
    return tuple(Order(match[1], match[2] == "desc") for match in matches if match is not None)
