"""Path and query of a request target in any form."""

from __future__ import annotations

import re
from typing import Final

_ABSOLUTE: Final = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


def split_target(target: str) -> tuple[str, str]:
    """Split a request's target into path and query, both still encoded.

    A server must treat `GET http://host:50000/b1s/v1/Items HTTP/1.1` like `GET /b1s/v1/Items` (RFC 9112,
    section 3.2.2), and some clients of the Service Layer send it. The part before the path is ignored.

    Args:
        target: as in the request's first line.
    """
    authority = _ABSOLUTE.match(target)
    path, _, query = (target if authority is None else target[authority.end() :]).partition("?")
    return path or "/", query
