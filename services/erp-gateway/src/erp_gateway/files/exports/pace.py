"""The minimum speed of a download: bytes in any minute, and a total time."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Final

from attrs import frozen
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Scope, Send

from servicekit.server.slow_reader import allow_slow_reader

MINUTE_S: Final = 60.0

ON_THE_WAY: Final = 192 * 1024
"""Bytes in buffers between service and client. They do not count as missing."""


@frozen(kw_only=True)
class PaceRules:
    """The minimum speed of a client.

    Attributes:
        min_bytes_s: bytes per second in any minute; a minute must hold more than `ON_THE_WAY`.
        max_s: total time.
    """

    min_bytes_s: float
    max_s: float


class Pace:
    """The progress of one download.

    Only the time of waiting for the client counts, not that of an export that is still being made.

    Args:
        rules: the minimum speed.
    """

    def __init__(self, rules: PaceRules) -> None:
        self._rules = rules
        self._waited_s = 0.0
        self._needed = rules.min_bytes_s * MINUTE_S - ON_THE_WAY
        # Times and sizes of the last pieces. The download starts with the credit of one minute.
        self._taken = deque([(0.0, self._needed)])
        self._in_minute = self._needed

    @property
    def patience_s(self) -> float:
        """Time that the client has for the next piece."""
        return min(self._taken[0][0] + MINUTE_S, self._rules.max_s) - self._waited_s

    def took(self, size: int, waited_s: float) -> None:
        """Record a sent piece and the time that the client took for it."""
        self._waited_s += waited_s
        self._taken.append((self._waited_s, size))
        self._in_minute += size
        while self._in_minute - self._taken[0][1] >= self._needed:
            self._in_minute -= self._taken.popleft()[1]


async def send_download(
    response: Response, chunks: AsyncIterator[bytes], rules: PaceRules, scope: Scope, send: Send
) -> None:
    """Send a response at the client's speed.

    Args:
        response: status and headers.
        chunks: the body.
        rules: the minimum speed.
        scope: the request's scope.
        send: sends to the client.

    Raises:
        ClientDisconnect: the client is too slow.
    """
    pace, now = Pace(rules), asyncio.get_running_loop().time

    async def send_part(message: Message) -> None:
        began = now()
        try:
            async with asyncio.timeout(pace.patience_s):
                await send(message)
        except TimeoutError as error:
            raise ClientDisconnect from error
        pace.took(len(message.get("body", b"")), now() - began)

    start = {"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers}
    with allow_slow_reader(scope):
        await send_part(start)
        async for chunk in chunks:
            await send_part({"type": "http.response.body", "body": chunk, "more_body": True})
        await send_part({"type": "http.response.body", "body": b"", "more_body": False})
