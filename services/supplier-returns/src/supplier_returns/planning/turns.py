"""Turns at what only few can use at a time: users one after another, and no wait without an end."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from attrs import define, field, frozen

from supplier_returns.planning.errors import PlanningBusy


@frozen(kw_only=True)
class TurnLimits:
    """How much may wait for a turn.

    Attributes:
        waiting: Computations that wait, of all users.
        wait_s: Longest wait.
    """

    waiting: int = 200
    wait_s: float = 30.0


@define(eq=False)
class _Waiter:
    user: str
    size: int
    called: "asyncio.Future[None]" = field(factory=lambda: asyncio.get_running_loop().create_future())


class Turns:
    """Gives turns, as many at a time as there is room for; one user has half of a larger room at most.

    A user's computations keep their order. Between users it goes round, one computation each: who asks for
    little waits for one of everybody else's, however much the others ask for.

    Args:
        limits: How much may wait.
        room: Sizes of the turns that are held at a time, together.
    """

    def __init__(self, limits: TurnLimits, *, room: int = 1) -> None:
        self._limits = limits
        self._room = room
        self._lanes: dict[str, deque[_Waiter]] = {}
        """Who waits, by user; the user whose turn is next comes first."""
        self._taken: Counter[str] = Counter()
        """Of the room, what is held, by user."""

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._lanes.values()))

    @asynccontextmanager
    async def take(self, user: str, *, size: int = 1) -> AsyncIterator[None]:
        """Wait for a turn and hold it.

        Args:
            user: Whose turn it is to be.
            size: Of the room, what it takes.

        Raises:
            PlanningBusy: Too much waits already, or this waited too long.
        """
        if user not in self._lanes and self._has_room(user, size):
            self._taken[user] += size
        else:
            await self._wait(_Waiter(user, size))
        try:
            yield
        finally:
            self._give_back(user, size)

    def _has_room(self, user: str, size: int) -> bool:
        of_one = max(size, self._room // 2)
        return self._taken.total() + size <= self._room and self._taken[user] + size <= of_one

    async def _wait(self, waiter: _Waiter) -> None:
        """Wait until the room is taken for the waiter."""
        if self.waiting >= self._limits.waiting:
            raise PlanningBusy
        self._lanes.setdefault(waiter.user, deque()).append(waiter)
        try:
            async with asyncio.timeout(self._limits.wait_s):
                await waiter.called
        except BaseException as error:
            if waiter.called.done() and not waiter.called.cancelled():
                self._give_back(waiter.user, waiter.size)  # called at the moment when it left
            else:
                self._step_out(waiter)
                self._call_who_has_room()  # a smaller one may have waited behind it
            if isinstance(error, TimeoutError):
                raise PlanningBusy from error
            raise

    def _give_back(self, user: str, size: int) -> None:
        self._taken[user] -= size
        if not self._taken[user]:
            del self._taken[user]
        self._call_who_has_room()

    def _call_who_has_room(self) -> None:
        while (waiter := self._next()) is not None:
            self._step_out(waiter)
            lane = self._lanes.pop(waiter.user, None)
            if lane is not None:
                self._lanes[waiter.user] = lane  # behind everybody else
            self._taken[waiter.user] += waiter.size
            waiter.called.set_result(None)

    def _next(self) -> _Waiter | None:
        first = (lane[0] for lane in self._lanes.values())
        return next((waiter for waiter in first if self._has_room(waiter.user, waiter.size)), None)

    def _step_out(self, waiter: _Waiter) -> None:
        lane = self._lanes[waiter.user]
        lane.remove(waiter)
        if not lane:
            del self._lanes[waiter.user]
