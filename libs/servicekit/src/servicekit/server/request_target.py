"""Targets of requests."""

import re
from typing import Final

_AUTHORITY: Final = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)


def origin_form(target: bytes) -> bytes:
    """Return a target in absolute form without its scheme and authority, any other unchanged.

    A server must accept `GET http://host/a?b HTTP/1.1` as `GET /a?b HTTP/1.1` (section 3.2.2). The authority
    is ignored: `Host` and trusted proxies determine the address.
    """
    if target.startswith(b"/"):
        return target
    match = _AUTHORITY.match(target)
    if match is None:
        return target
    rest = target[match.end() :]
    return rest if rest.startswith(b"/") else b"/" + rest
