"""Of a client's headers, the few that the proxy looks at. None of them ever goes upstream by itself."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen


@frozen
class ClientHeaders:
    """What a client's headers say to the proxy.

    Attributes:
        if_match: the `If-Match` value, several joined by a comma; `None` without one.
        options: values of `B1S-` headers by lower-case name.
    """

    if_match: str | None = None
    options: Mapping[str, tuple[str, ...]] = {}


_NOTHING: Final = ClientHeaders()


def read_client_headers(headers: Iterable[tuple[bytes, bytes]]) -> ClientHeaders:
    """Pick out what matters from the raw headers of a request (names in lower case, as ASGI gives them)."""
    chosen = [pair for pair in headers if pair[0] == b"if-match" or pair[0].startswith(b"b1s-")]
    if not chosen:
        return _NOTHING
    tags: list[str] = []
    options: dict[str, tuple[str, ...]] = {}
    for raw_name, raw_value in chosen:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name == "if-match":
            tags.append(value)
        else:
            options[name] = (*options.get(name, ()), value)
    return ClientHeaders(", ".join(tags) if tags else None, options)
