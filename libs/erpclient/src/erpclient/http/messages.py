"""HTTP requests and replies as values."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import TypeAlias

from attrs import field, frozen


@frozen
class StreamedBody:
    """A body that is not in memory.

    Attributes:
        size: in bytes.
        chunks: reads it from its start; called again for each sending.
    """

    size: int
    chunks: Callable[[], AsyncIterator[bytes]] = field(repr=False)


Sink: TypeAlias = Callable[[bytes], object]
"""Receives the body of a reply in pieces. Its errors end the request and propagate."""


@frozen
class HttpRequest:
    """One request, ready to send.

    Attributes:
        method: HTTP method.
        url: absolute and percent-encoded; sent unchanged.
        headers: names and values; left out of ``repr``, because they include cookies.
        body: ``None`` for no body.
        timeout_s: longest time from connecting to the last byte of the answer.
        sink: receives the body of a 2xx reply, of any size; the reply itself then has none.
        fresh: whether it needs a new connection.
    """

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: bytes | StreamedBody | None = field(default=None, repr=False)
    timeout_s: float = 60.0
    fresh: bool = False
    sink: Sink | None = field(default=None, repr=False)


@frozen
class HttpReply:
    """One reply.

    Attributes:
        status: HTTP status.
        content_type: media type with its parameters, possibly empty.
        etag: the ``ETag`` header.
        set_cookies: the ``Set-Cookie`` headers, unchanged.
        body: unpacked bytes; empty if there is a fault.
        fault: error while reading the body (``truncated``, ``too large``), else ``None``.
        headers: all of them, by case-insensitive name; left out of ``repr``, because they include cookies.
    """

    status: int
    content_type: str = ""
    etag: str | None = None
    set_cookies: tuple[str, ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    fault: str | None = None
    headers: Mapping[str, str] = field(factory=dict, repr=False, eq=False)
