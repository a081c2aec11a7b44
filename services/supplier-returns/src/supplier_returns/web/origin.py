"""Which pages may change something with a user's cookie."""

from collections.abc import Sequence
from typing import Final

from supplier_returns.settings.origins import Origin, parse_origin

_HARMLESS_SITES: Final = frozenset({"same-origin", "none"})


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
