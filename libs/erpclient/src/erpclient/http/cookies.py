"""The two cookies of a session."""

import re
from typing import Final

SESSION_COOKIE: Final = "B1SESSION"
ROUTE_COOKIE: Final = "ROUTEID"
COOKIE_VALUE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,1024}")


def find_cookie(set_cookies: tuple[str, ...], name: str) -> str | None:
    """Return the last value of a cookie in ``Set-Cookie`` headers.

    Strict cookie jars are not usable: ``B1SESSION`` comes without a path and with an extra semicolon, which
    they reject, and they drop cookies of hosts that are IP addresses.

    Returns:
        the value, empty if the cookie is deleted, ``None`` if it is not in the headers.
    """
    found = None
    for header in set_cookies:
        key, equals, value = header.partition(";")[0].partition("=")
        if equals and key.strip() == name:
            value = value.strip()
            found = value if COOKIE_VALUE.fullmatch(value) else ""
    return found
