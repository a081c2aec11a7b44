"""How slowly a client may take what it downloads: so much in any minute, and for so long in all."""

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
"""What the buffers between us and a client hold or free at once: nobody is given up for not having it yet."""


@frozen(kw_only=True)
class PaceRules:
    """What a client must take.

    Attributes:
        min_bytes_s: least bytes a second, over any minute; at least so many that a minute's are more than
            `ON_THE_WAY`.
        max_s: how long all of it may take.
    """

    min_bytes_s: float
    max_s: float


class Pace:
    """What one client has taken.

    Only time in which the client is waited for counts: that of an export that is still being made does not.

    Args:
        rules: what the client must take.
    """

    def __init__(self, rules: PaceRules) -> None:
        self._rules = rules
        self._waited_s = 0.0
        self._needed = rules.min_bytes_s * MINUTE_S - ON_THE_WAY
        # What was taken last, and when; a minute's worth counts as taken in the moment of the beginning.
        self._taken = deque([(0.0, self._needed)])
        self._in_minute = self._needed

    @property
    def patience_s(self) -> float:
        """How long the client may take to the end of the next piece."""
        return min(self._taken[0][0] + MINUTE_S, self._rules.max_s) - self._waited_s

    def took(self, size: int, waited_s: float) -> None:
        """Take note that the client has taken so many bytes, and how long that was waited for."""
        self._waited_s += waited_s
        self._taken.append((self._waited_s, size))
        self._in_minute += size
        while self._in_minute - self._taken[0][1] >= self._needed:
            self._in_minute -= self._taken.popleft()[1]


async def send_download(
    response: Response, chunks: AsyncIterator[bytes], rules: PaceRules, scope: Scope, send: Send
) -> None:
    """Send an answer as fast as its client takes it.

    Args:
        response: its status and headers.
        chunks: its body.
        rules: what the client must take.
        scope: of the request.
        send: sends to the client.

    Raises:
        ClientDisconnect: the client takes too little, and is given up.
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
