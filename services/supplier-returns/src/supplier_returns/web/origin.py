"""Rule for which pages may change something with a user's cookie."""

from collections.abc import Sequence
from typing import Final

from supplier_returns.settings.origins import Origin, parse_origin

_HARMLESS_SITES: Final = frozenset({"same-origin", "none"})


def may_change(
    *, origins: Sequence[str], sites: Sequence[str], own: Origin | None, web_origin: Origin | None
) -> bool:
    """Return whether a request may change something, based on the page that sent it.

    A page of another site can make a browser send requests with the user's cookie, but it can't hide its
    origin. A request without these headers comes from a program, which no page controls.

    Args:
        origins: values of its `Origin` headers.
        sites: values of its `Sec-Fetch-Site` headers.
        own: origin that the request was sent to.
        web_origin: configured origin of a web application on another host.
    """
    if origins:
        origin = parse_origin(origins[0]) if len(origins) == 1 else None
        return origin is not None and origin in (own, web_origin)
    return all(site in _HARMLESS_SITES for site in sites)
