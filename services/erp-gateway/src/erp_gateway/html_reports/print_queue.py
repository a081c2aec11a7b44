"""The queue before the printer: few places, bounded waiting, first come first served."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from erp_gateway.html_reports.errors import PdfQueueFull, PdfQueueTimeout
from servicekit.errors import ShuttingDown

MAX_WAITING: Final = 32
"""Documents that may wait for a place."""


class PrintQueue:
    """Hands out places to print.

    Args:
        places: documents printed at the same time.
        wait_s: how long one may wait for a place.
        max_waiting: how many may wait.
    """

    def __init__(self, places: int, *, wait_s: float, max_waiting: int = MAX_WAITING) -> None:
        self._free = places
        self._wait_s = wait_s
        self._max_waiting = max_waiting
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._drained = False

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place while the block runs, after waiting for it where needed.

        Raises:
            PdfQueueFull: too many wait already.
            PdfQueueTimeout: no place became free in time.
            ShuttingDown: the service stops.
        """
        await self._take()
        try:
            yield
        finally:
            self._give_back()

    def drain(self) -> None:
        """Send away all who wait and all who will come."""
        self._drained = True
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(ShuttingDown())

    async def _take(self) -> None:
        if self._drained:
            raise ShuttingDown
        if self._free:
            self._free -= 1
            return
        if len(self._waiting) >= self._max_waiting:
            raise PdfQueueFull
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._wait_s):
                await turn
        except BaseException as error:
            self._leave(turn)
            if isinstance(error, TimeoutError):
                raise PdfQueueTimeout from error
            raise

    def _leave(self, turn: asyncio.Future[None]) -> None:
        """Give up waiting; a place that was handed over at the same moment goes to the next."""
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif turn.done() and not turn.cancelled() and turn.exception() is None:
            self._give_back()

    def _give_back(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
