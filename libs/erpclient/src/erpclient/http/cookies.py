"""The two cookies of a session."""

import re
from typing import Final

SESSION_COOKIE: Final = "B1SESSION"
ROUTE_COOKIE: Final = "ROUTEID"
COOKIE_VALUE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,1024}")


def find_cookie(set_cookies: tuple[str, ...], name: str) -> str | None:
    """Read the last value that ``Set-Cookie`` headers give to a cookie.

    By hand, since ``B1SESSION`` comes without a path and with a semicolon too many, which strict cookie jars
    drop, and since they also drop the cookies of a host that is an IP address.

    Returns:
        The value; empty when the cookie is taken back; ``None`` when the headers do not speak of it.
    """
    found = None
    for header in set_cookies:
        key, equals, value = header.partition(";")[0].partition("=")
        if equals and key.strip() == name:
            value = value.strip()
            found = value if COOKIE_VALUE.fullmatch(value) else ""
    return found
