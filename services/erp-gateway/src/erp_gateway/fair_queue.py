"""Who may work now: a few places in all, a queue for each name, and how every piece of work ended."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from attrs import define, field, frozen

from servicekit.errors import ServiceError, ShuttingDown, as_service_error


@frozen(kw_only=True)
class QueueRules:
    """What holds for those who wait for a place.

    Attributes:
        total: how many places there are.
        share: how many of them one name may hold.
        share_of_kind: how many of them work of one kind may hold, whoever asks for it.
        max_waiting: most who wait for one name.
        max_in_all: most who wait for all names together; None for no such limit.
        wait_s: longest wait.
        full: makes the refusal of one too many.
        too_long: makes the refusal of one who waited so long.
    """

    total: int
    share: int
    max_waiting: int
    wait_s: float
    full: Callable[[], ServiceError]
    too_long: Callable[[], ServiceError]
    max_in_all: int | None = None
    share_of_kind: int | None = None


class QueueObserver(Protocol):
    """Is told of the work; `metrics.JobMetrics` is one."""

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Take what tells how many wait and how many hold a place."""
        ...

    def ended(self, *, name: str, outcome: str, duration_s: float) -> None:
        """Take note of one that ended, its wait included: `ok`, the code of a refusal, or `cancelled`."""
        ...


class _Unobserved:
    """Takes note of nothing."""

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Do nothing."""

    def ended(self, *, name: str, outcome: str, duration_s: float) -> None:
        """Do nothing."""


@define(eq=False)
class _Turn:
    """One who waits: for what kind of work, and what tells that the place is there."""

    kind: str
    came: asyncio.Future[None]


@define(eq=False)
class _Lane:
    """One name: who waits, in order, and how many places it holds."""

    waiting: list[_Turn] = field(factory=list)
    held: int = 0


@define(eq=False)
class Permit:
    """A place that is held until it is released, once."""

    _places: "FairQueue"
    _name: str
    _kind: str
    _released: bool = False

    def release(self) -> None:
        """Give the place to the next in turn. Further calls do nothing. For the event loop's thread."""
        if not self._released:
            self._released = True
            self._places._give_back(self._name, self._kind)  # noqa: SLF001 - the two are one thing


class FairQueue:
    """Hands out places: names take turns, and requests of one name keep their order.

    A name that comes anew stands before the one that was served last, so that a single request waits for at
    most one piece of work of another name's many. Where a kind of work has all the places that it may have,
    a name's next request for another kind goes first.

    Args:
        rules: how many, and how long to wait.
        observer: is told of the work that is done under `observed`.
    """

    def __init__(self, rules: QueueRules, observer: QueueObserver | None = None) -> None:
        self._rules = rules
        self._free = rules.total
        self._lanes: dict[str, _Lane] = {}
        self._kinds: Counter[str] = Counter()
        self._turns: deque[str] = deque()
        self._served_last: str | None = None
        self._closed = False
        self._observer = observer or _Unobserved()
        self._observer.watch(lambda: self.waiting, lambda: rules.total - self._free)

    @property
    def waiting(self) -> int:
        """How many wait at this moment."""
        return sum(len(lane.waiting) for lane in self._lanes.values())

    @asynccontextmanager
    async def observed(self, name: str) -> AsyncIterator[None]:
        """Tell the observer how long the block took, and how it ended.

        Args:
            name: whose queue its work stands in.
        """
        started = time.perf_counter()
        outcome = "ok"
        try:
            yield
        except Exception as error:
            outcome = as_service_error(error).code
            raise
        except BaseException:
            outcome = "cancelled"
            raise
        finally:
            self._observer.ended(name=name, outcome=outcome, duration_s=time.perf_counter() - started)

    async def take(self, name: str, *, kind: str = "") -> Permit:
        """Wait for a place and take it.

        Args:
            name: whose queue to stand in.
            kind: of the work, where the rules know a share of each.

        Raises:
            ServiceError: too many of this name wait already, or no place came in time, as the rules say.
            ShuttingDown: no places are given any more.
        """
        if self._closed:
            raise ShuttingDown
        lane = self._lanes.setdefault(name, _Lane())
        turn = _Turn(kind, asyncio.get_running_loop().create_future())
        lane.waiting.append(turn)
        if name not in self._turns:
            before_last = bool(self._turns) and self._turns[-1] == self._served_last
            self._turns.insert(len(self._turns) - before_last, name)
        self._admit()
        if not turn.came.done() and self._is_full(lane):
            self._leave(name, turn)
            raise self._rules.full()
        try:
            async with asyncio.timeout(self._rules.wait_s):
                await turn.came
        except BaseException as error:
            self._leave(name, turn)
            if isinstance(error, TimeoutError):
                raise self._rules.too_long() from error
            raise
        return Permit(self, name, kind)

    def close(self) -> None:
        """Give no places any more, and tell all who wait."""
        self._closed = True
        for lane in self._lanes.values():
            for turn in lane.waiting:
                if not turn.came.done():
                    turn.came.set_exception(ShuttingDown())

    def _admit(self) -> None:
        """Give free places away; a name that was served goes behind the others."""
        for name in tuple(self._turns):
            lane = self._lanes[name]
            turn = next((each for each in lane.waiting if self._may_begin(lane, each)), None)
            if turn is not None:
                self._free -= 1
                lane.held += 1
                self._kinds[turn.kind] += 1
                lane.waiting.remove(turn)
                turn.came.set_result(None)
                self._turns.remove(name)
                self._turns.append(name)
                self._served_last = name
        self._forget_idle()

    def _may_begin(self, lane: _Lane, turn: _Turn) -> bool:
        of_kind = self._rules.share_of_kind
        return (
            self._free > 0
            and lane.held < self._rules.share
            and (of_kind is None or self._kinds[turn.kind] < of_kind)
            and not turn.came.done()  # closed, or left just now
        )

    def _is_full(self, lane: _Lane) -> bool:
        max_in_all = self._rules.max_in_all
        return len(lane.waiting) > self._rules.max_waiting or (
            max_in_all is not None and self.waiting > max_in_all
        )

    def _forget_idle(self) -> None:
        for name in [name for name, lane in self._lanes.items() if not lane.waiting]:
            if name in self._turns:
                self._turns.remove(name)
            if not self._lanes[name].held:
                del self._lanes[name]

    def _leave(self, name: str, turn: _Turn) -> None:
        """Take back a request that no longer waits; a place that reached it meanwhile goes on to the next."""
        if turn.came.done() and not turn.came.cancelled() and turn.came.exception() is None:
            self._give_back(name, turn.kind)
            return
        lane = self._lanes.get(name)
        if lane is not None and turn in lane.waiting:
            lane.waiting.remove(turn)
        self._forget_idle()

    def _give_back(self, name: str, kind: str) -> None:
        self._free += 1
        self._lanes[name].held -= 1
        self._kinds[kind] -= 1
        if not self._kinds[kind]:
            del self._kinds[kind]
        self._admit()
