"""Turns at what only one can use at a time: users one after another, and no wait without an end."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from attrs import define, field, frozen

from supplier_returns.planning.errors import PlanningBusy

MIB: Final = 1024 * 1024


@frozen(kw_only=True)
class TurnLimits:
    """How much may wait for a turn.

    Attributes:
        waiting: Computations that wait, of all users.
        waiting_bytes: Their size together.
        wait_s: Longest wait.
    """

    waiting: int = 200
    waiting_bytes: int = 128 * MIB
    wait_s: float = 30.0


@define(eq=False)
class _Waiter:
    user: str
    size: int
    called: "asyncio.Future[None]" = field(factory=lambda: asyncio.get_running_loop().create_future())


class Turns:
    """Gives turns, one at a time.

    A user's computations keep their order. Between users it goes round, one computation each: who asks for
    little waits for one of everybody else's, however much the others ask for.

    Args:
        limits: How much may wait.
    """

    def __init__(self, limits: TurnLimits) -> None:
        self._limits = limits
        self._lanes: dict[str, deque[_Waiter]] = {}
        """Who waits, by user; the user whose turn is next comes first."""
        self._is_taken = False

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._lanes.values()))

    @asynccontextmanager
    async def take(self, user: str, *, size: int = 0) -> AsyncIterator[None]:
        """Wait for a turn and hold it.

        Args:
            user: Whose turn it is to be.
            size: Bytes that are kept while it waits.

        Raises:
            PlanningBusy: Too much waits already, or this waited too long.
        """
        if self._is_taken:
            await self._wait(_Waiter(user, size))
        self._is_taken = True
        try:
            yield
        finally:
            self._is_taken = False
            self._call_next()

    async def _wait(self, waiter: _Waiter) -> None:
        self._line_up(waiter)
        try:
            async with asyncio.timeout(self._limits.wait_s):
                await waiter.called
        except BaseException as error:
            if waiter.called.done() and not waiter.called.cancelled():
                self._is_taken = False
                self._call_next()  # called at the moment when it left
            else:
                self._step_out(waiter)
            if isinstance(error, TimeoutError):
                raise PlanningBusy from error
            raise

    def _line_up(self, waiter: _Waiter) -> None:
        size = sum(each.size for lane in self._lanes.values() for each in lane)
        if self.waiting >= self._limits.waiting or size + waiter.size > self._limits.waiting_bytes:
            raise PlanningBusy
        self._lanes.setdefault(waiter.user, deque()).append(waiter)

    def _call_next(self) -> None:
        for user in self._lanes:
            waiter = self._lanes[user][0]
            self._step_out(waiter)
            lane = self._lanes.pop(user, None)
            if lane is not None:
                self._lanes[user] = lane  # behind everybody else
            self._is_taken = True
            waiter.called.set_result(None)
            return

    def _step_out(self, waiter: _Waiter) -> None:
        lane = self._lanes[waiter.user]
        lane.remove(waiter)
        if not lane:
            del self._lanes[waiter.user]
