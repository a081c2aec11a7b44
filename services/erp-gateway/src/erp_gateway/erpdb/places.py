"""Who may run now: a few places in all, a queue for each name, and no name takes more than its share."""

import asyncio
from collections import deque
from typing import Final

from attrs import define, field

from erp_gateway.web.upstream_errors import QueueIsFull, QueueWaitTooLong
from servicekit.errors import ShuttingDown

WAITING_PER_NAME: Final = 64
"""Most requests that wait for the same name."""

_FULL: Final = "Hay demasiadas solicitudes en espera de esta consulta. Inténtelo en unos segundos."
_TOO_LONG: Final = "La consulta esperó demasiado su turno y no se ejecutó; puede repetirla."


@define(eq=False)
class _Lane:
    """One name: who waits, in order, and how many places it holds."""

    waiting: deque[asyncio.Future[None]] = field(factory=deque)
    held: int = 0


@define(eq=False)
class Place:
    """A place that is held until it is released, once."""

    _places: "Places"
    _name: str
    _released: bool = False

    def release(self) -> None:
        """Give the place to the next in turn. Further calls do nothing. For the event loop's thread."""
        if not self._released:
            self._released = True
            self._places._give_back(self._name)  # noqa: SLF001 - the two are one thing


class Places:
    """Hands out places: names take turns, and requests of one name keep their order.

    Args:
        total: how many there are. One name holds at most half of them, but at least one.
    """

    def __init__(self, total: int) -> None:
        self._free = total
        self._share = max(1, total // 2)
        self._lanes: dict[str, _Lane] = {}
        self._turns: deque[str] = deque()
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many wait at this moment."""
        return sum(len(lane.waiting) for lane in self._lanes.values())

    async def take(self, name: str, *, timeout_s: float) -> Place:
        """Wait for a place and take it.

        Args:
            name: whose queue to stand in.
            timeout_s: longest wait.

        Raises:
            QueueIsFull: too many of this name wait already.
            QueueWaitTooLong: no place in time.
            ShuttingDown: no places are given any more.
        """
        if self._closed:
            raise ShuttingDown
        lane = self._lanes.setdefault(name, _Lane())
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.waiting.append(turn)
        if name not in self._turns:
            self._turns.append(name)
        self._admit()
        if not turn.done() and len(lane.waiting) > WAITING_PER_NAME:
            self._leave(name, turn)
            raise QueueIsFull(_FULL)
        try:
            async with asyncio.timeout(timeout_s):
                await turn
        except BaseException as error:
            self._leave(name, turn)
            if isinstance(error, TimeoutError):
                raise QueueWaitTooLong(_TOO_LONG) from error
            raise
        return Place(self, name)

    def close(self) -> None:
        """Give no places any more, and tell all who wait."""
        self._closed = True
        for lane in self._lanes.values():
            for turn in lane.waiting:
                if not turn.done():
                    turn.set_exception(ShuttingDown())

    def _admit(self) -> None:
        """Give free places away; a name that was served goes behind the others."""
        for name in tuple(self._turns):
            lane = self._lanes[name]
            while lane.waiting and lane.waiting[0].done():
                lane.waiting.popleft()
            if self._free and lane.waiting and lane.held < self._share:
                self._free -= 1
                lane.held += 1
                lane.waiting.popleft().set_result(None)
                self._turns.remove(name)
                self._turns.append(name)
        self._forget_idle()

    def _forget_idle(self) -> None:
        for name in [name for name, lane in self._lanes.items() if not lane.waiting]:
            if name in self._turns:
                self._turns.remove(name)
            if not self._lanes[name].held:
                del self._lanes[name]

    def _leave(self, name: str, turn: asyncio.Future[None]) -> None:
        """Take back a request that no longer waits; a place that reached it meanwhile goes on to the next."""
        if turn.done() and not turn.cancelled() and turn.exception() is None:
            self._give_back(name)
            return
        lane = self._lanes.get(name)
        if lane is not None and turn in lane.waiting:
            lane.waiting.remove(turn)
        self._forget_idle()

    def _give_back(self, name: str) -> None:
        self._free += 1
        self._lanes[name].held -= 1
        self._admit()
