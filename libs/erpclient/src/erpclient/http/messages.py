"""HTTP requests and replies as values."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import TypeAlias

from attrs import field, frozen


@frozen
class StreamedBody:
    """A body that is not held in memory.

    Attributes:
        size: in bytes.
        chunks: reads it from its start, anew for each sending.
    """

    size: int
    chunks: Callable[[], AsyncIterator[bytes]] = field(repr=False)


Sink: TypeAlias = Callable[[bytes], object]
"""Takes the body of an answer piece by piece; what it raises ends the request and comes out."""


@frozen
class HttpRequest:
    """One request, ready to be sent.

    Attributes:
        method: HTTP method.
        url: absolute and already percent-encoded; not touched any more.
        headers: names and values; never shown, since there are cookies among them.
        body: ``None`` for no body.
        timeout_s: longest time from connecting to the last byte of the answer.
        sink: takes the body of a 2xx answer, whatever its size; the answer itself has none then.
        fresh: whether it needs a connection that nothing was sent on before.
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
    """One answer.

    Attributes:
        status: HTTP status.
        content_type: media type with its parameters, possibly empty.
        etag: the ``ETag`` header.
        set_cookies: the ``Set-Cookie`` headers as they came.
        body: unpacked bytes; empty when there is a fault.
        fault: what went wrong while the body was read (``truncated``, ``too large``), else ``None``.
        headers: all of them, by name without regard to letter case; never shown: cookies are among them.
    """

    status: int
    content_type: str = ""
    etag: str | None = None
    set_cookies: tuple[str, ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    fault: str | None = None
    headers: Mapping[str, str] = field(factory=dict, repr=False, eq=False)
