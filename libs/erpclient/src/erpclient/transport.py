"""Bytes to the ERP and back."""

from typing import Protocol

from attrs import field, frozen


@frozen
class HttpRequest:
    """One request, ready to be sent.

    Attributes:
        method: HTTP method.
        url: absolute and already percent-encoded; not touched any more.
        headers: names and values; never shown, since there are cookies among them.
        body: ``None`` for no body.
        repeatable: whether sending it twice does no harm.
        timeout_s: longest time from connecting to the last byte of the answer.
    """

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)
    repeatable: bool = False
    timeout_s: float = 60.0


@frozen
class HttpReply:
    """One answer.

    Attributes:
        status: HTTP status.
        content_type: media type with its parameters, possibly empty.
        etag: the ``ETag`` header.
        set_cookies: the ``Set-Cookie`` headers as they came.
        body: unpacked bytes; empty when there is a fault.
        fault: what went wrong while the body was read (``truncated``, ``too large``, …), else ``None``.
    """

    status: int
    content_type: str = ""
    etag: str | None = None
    set_cookies: tuple[str, ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    fault: str | None = None


class Transport(Protocol):
    """Sends one request at a time and brings back its answer."""

    async def send(self, request: HttpRequest) -> HttpReply:
        """Send it and read the whole answer.

        Raises:
            ErpUnreachable: no connection, or it was lost before the answer's headers were complete.
            ErpTimeout: not in time.
        """
        ...

    async def probe(self, url: str, timeout_s: float) -> None:
        """Try a connection and give it up again.

        Raises:
            ErpUnreachable: none could be made.
            ErpTimeout: not in time.
        """
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
