"""The request's body on its way in: bounded, and drained before an early response."""

import asyncio
import re
from typing import Final, final

from starlette.types import Message, Receive, Scope

from servicekit.errors import BodyTooLarge

_KEY: Final = "servicekit.body"
_LENGTH: Final = re.compile(rb"[0-9]{1,18}")
_DISCARD_S: Final = 2.0
_DISCARD_BYTES: Final = 16 * 1024 * 1024


@final
class RequestBody:
    """An ASGI `receive` that raises `BodyTooLarge` over its limit.

    Attributes:
        limit: the most bytes accepted; an endpoint may set its own before the body is read.
        is_ambiguous: the request gives both a length and a transfer encoding, as smuggled ones do (RFC 9112,
            section 6.1).
    """

    __slots__ = ("_announced", "_receive", "_received", "_whole", "is_ambiguous", "limit")

    def __init__(self, receive: Receive, headers: dict[bytes, bytes], limit: int) -> None:
        self._receive = receive
        self._received = 0
        length = headers.get(b"content-length")
        self._announced = int(length) if length is not None and _LENGTH.fullmatch(length) else 0
        is_encoded = b"transfer-encoding" in headers
        self._whole = self._announced == 0 and not is_encoded
        self.is_ambiguous = is_encoded and length is not None
        self.limit = limit

    def check_announced(self) -> None:
        """Reject a body whose `Content-Length` is over the limit.

        Raises:
            BodyTooLarge: it is.
        """
        if self._announced > self.limit:
            raise self._too_large()

    async def __call__(self) -> Message:
        """Receive the next message.

        Raises:
            BodyTooLarge: the body is over its limit by now.
        """
        message = await self._receive()
        if message["type"] == "http.request":
            self._received += len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._received > self.limit:
                raise self._too_large()
        else:
            self._whole = True
        return message

    def _too_large(self) -> BodyTooLarge:
        return BodyTooLarge(f"{BodyTooLarge.detail} El máximo aquí es {_size_in_words(self.limit)}.")

    async def discard(self) -> None:
        """Read and drop the rest of the body, within bounds of size and time.

        Closing a connection with unread bytes resets it, and the client may never see the answer.
        """
        if self._whole:
            return
        try:
            async with asyncio.timeout(_DISCARD_S):
                remaining = _DISCARD_BYTES
                while not self._whole and remaining > 0:
                    message = await self._receive()
                    remaining -= len(message.get("body", b""))
                    self._whole = not message.get("more_body", False)
        except TimeoutError:
            return


def _size_in_words(size: int) -> str:
    """Return a size for people, such as `16 KiB`; limits are whole numbers of a unit or are rounded down."""
    for unit, name in ((1024 * 1024, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} bytes"


def request_body(scope: Scope) -> RequestBody:
    """Return the body of the request that this ASGI scope belongs to."""
    body: RequestBody = scope[_KEY]
    return body


def set_request_body(scope: Scope, body: RequestBody) -> None:
    """Bind the body to the request's scope."""
    scope[_KEY] = body
