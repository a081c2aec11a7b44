"""The field of a new record that carries the number of its write, so that a lookup can find the record."""

import re
from typing import Final

from attrs import frozen

_OPENING: Final = re.compile(rb"\s*\{\s*")


@frozen
class Trace:
    """The field that carries the number of a write, and the schedule of lookups by it.

    Attributes:
        field: name of the field; plain letters, digits and underscores.
        delays_s: seconds from the moment a write became unknown to each lookup, ascending; at least one.
    """

    field: str
    delays_s: tuple[float, ...]


def with_trace(body: bytes, field: str, number: str) -> bytes:
    """Add the field to a JSON object and leave all other bytes unchanged.

    Args:
        body: a JSON object without the field.
        field: name of the field; plain letters, digits and underscores.
        number: its value; plain letters and digits.

    Raises:
        ValueError: the body is not a JSON object.
    """
    opening = _OPENING.match(body)
    if opening is None:
        raise ValueError("the body is no JSON object")
    rest = body[opening.end() :]
    comma = b"" if rest.startswith(b"}") else b","
    return b'{"%b":"%b"%b%b' % (field.encode(), number.encode(), comma, rest)
