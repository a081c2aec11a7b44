"""The client's headers that the proxy reads. It forwards none of them."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen

from erp_gateway.web.requests import says_no_cache


@frozen
class ClientHeaders:
    """The headers that the proxy reads.

    Attributes:
        if_match: the `If-Match` value, several joined by a comma; None without one.
        options: values of `B1S-` headers by lower-case name.
        no_cache: whether `Cache-Control` says `no-cache`: the client wants no cached answer.
    """

    if_match: str | None = None
    options: Mapping[str, tuple[str, ...]] = {}
    no_cache: bool = False


_READ: Final = frozenset({b"if-match", b"cache-control"})
_NO_HEADERS: Final = ClientHeaders()


def read_client_headers(headers: Iterable[tuple[bytes, bytes]]) -> ClientHeaders:
    """Read the raw headers of a request (names in lower case, as ASGI passes them)."""
    chosen = [pair for pair in headers if pair[0] in _READ or pair[0].startswith(b"b1s-")]
    if not chosen:
        return _NO_HEADERS
    tags: list[str] = []
    no_cache = False
    options: dict[str, tuple[str, ...]] = {}
    for raw_name, raw_value in chosen:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if name == "if-match":
            tags.append(value)
        elif name == "cache-control":
            no_cache = no_cache or says_no_cache([value])
        else:
            options[name] = (*options.get(name, ()), value)
    return ClientHeaders(", ".join(tags) if tags else None, options, no_cache)
