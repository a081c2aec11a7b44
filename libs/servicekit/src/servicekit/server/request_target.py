"""Targets of requests."""

import re
from typing import Final

_AUTHORITY: Final = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)


def origin_form(target: bytes) -> bytes:
    """Return a target in absolute form without its scheme and authority, any other as it is.

    A server must take `GET http://host/a?b HTTP/1.1` for `GET /a?b HTTP/1.1` (section 3.2.2). The authority
    decides nothing: where a request was addressed to is told by `Host`, and by proxies that are trusted.
    """
    if target.startswith(b"/"):
        return target
    match = _AUTHORITY.match(target)
    if match is None:
        return target
    rest = target[match.end() :]
    return rest if rest.startswith(b"/") else b"/" + rest
