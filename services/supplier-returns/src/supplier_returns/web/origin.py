"""Origins: where a web page comes from, and which pages may change something with a user's cookie."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import frozen
from typing_extensions import override

_FORM: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
_USUAL_PORTS: Final = {"http": 80, "https": 443}
_HARMLESS_SITES: Final = frozenset({"same-origin", "none"})


@frozen
class Origin:
    """Scheme, host and port of a page, in lower case; two spellings of one origin are equal."""

    scheme: str
    host: str
    port: int

    @override
    def __str__(self) -> str:
        usual = _USUAL_PORTS[self.scheme] == self.port
        return f"{self.scheme}://{self.host}" + ("" if usual else f":{self.port}")


def parse_origin(text: str) -> Origin | None:
    """Read an origin as browsers write it; None for anything else, also for `null`."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    scheme = match["scheme"].lower()
    port = int(match["port"]) if match["port"] else _USUAL_PORTS[scheme]
    return Origin(scheme, match["host"].lower(), port) if 0 < port < 65_536 else None  # noqa: PLR2004


def may_change(
    *, origins: Sequence[str], sites: Sequence[str], own: Origin | None, web_origin: Origin | None
) -> bool:
    """Tell whether a request may change something, judging by who made the browser send it.

    A page of another site can make a browser send requests with the user's cookie, but not hide where from.
    A request that says nothing of that comes from a program, which no page can make do anything.

    Args:
        origins: its `Origin` headers.
        sites: its `Sec-Fetch-Site` headers.
        own: the origin that the request was sent to.
        web_origin: the configured origin of a web application that is served elsewhere.
    """
    if origins:
        origin = parse_origin(origins[0]) if len(origins) == 1 else None
        return origin is not None and origin in (own, web_origin)
    return all(site in _HARMLESS_SITES for site in sites)
