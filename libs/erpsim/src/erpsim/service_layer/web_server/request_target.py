"""Path and query of a request target in any form."""

from __future__ import annotations

import re
from typing import Final

_ABSOLUTE: Final = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


def split_target(target: str) -> tuple[str, str]:
    """Split a request's target into path and query, both still encoded.

    A server must take `GET http://host:50000/b1s/v1/Items HTTP/1.1` for `GET /b1s/v1/Items` (RFC 9112,
    section 3.2.2), and there are clients of the Service Layer that send it so. What stands before the path is
    left out and not looked at.

    Args:
        target: as in the request's first line.
    """
    authority = _ABSOLUTE.match(target)
    path, _, query = (target if authority is None else target[authority.end() :]).partition("?")
    return path or "/", query
