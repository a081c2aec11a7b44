"""A fair queue: so much at a time, users in turn, and no wait without an end."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Self

from attrs import define, field, frozen

from erpclient.clock import Clock, SystemClock, Timer
from erpclient.lanes import Lane

Refusal = Callable[[], Exception]
"""Makes the error of one who is refused: a kept one would hold the frames that it was raised in."""


@frozen(kw_only=True)
class QueueRules:
    """What a queue lets through at a time, what may wait for it, and how it refuses.

    Attributes:
        capacity: sizes of the work that is done at a time, together.
        capacity_per_user: of it, what one user has at most; a larger piece passes alone. ``None``: all of it.
        capacity_per_kind: of it, what one kind of work has at most, whoever asks for it. ``None``: all of it.
        max_waiting: most who wait in all; ``None`` for any number.
        max_waiting_per_user: most of one user who wait; ``None`` for any number.
        wait_s: longest wait.
        full: makes the error for one too many; it is told ``total`` or ``user``.
        too_late: makes the error for one who waited so long.
        closed: makes the error for each who waits or comes when no work is taken any more.
    """

    capacity: int
    capacity_per_user: int | None = None
    capacity_per_kind: int | None = None
    max_waiting: int | None = None
    max_waiting_per_user: int | None = None
    wait_s: float
    full: Callable[[str], Exception]
    too_late: Refusal
    closed: Refusal


@frozen
class QueueWait:
    """What one user waits for at this moment.

    Attributes:
        user: whose turn it is to be.
        waiting: requests of this user.
        longest_s: how long the oldest of them has waited.
    """

    user: Lane
    waiting: int
    longest_s: float


@define(eq=False)
class Permit:
    """The right to work until it is released; also a context manager that releases it."""

    user: Lane
    kind: str
    size: int
    _give_back: Callable[["Permit"], None]
    _is_held: bool = True

    def release(self) -> None:
        """Let the next in turn work. Further calls do nothing. For the event loop's thread."""
        if self._is_held:
            self._is_held = False
            self._give_back(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


Settle = Callable[[Permit | Refusal], None]
"""Takes what a wait ended with: a permit, or what makes the error."""


@define(eq=False)
class Wait:
    """One piece of work that waits for its turn."""

    user: Lane
    kind: str
    size: int
    since: float
    settle: Settle


@define(eq=False)
class _Lane:
    """What one user waits for, in order, and what ends each wait in time."""

    user: Lane
    waits: dict[Wait, Timer] = field(factory=dict)


class _Shares:
    """What each name has of the capacity, counted where there is a limit."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._used: dict[Lane, int] = {}

    def admits(self, name: Lane, size: int) -> bool:
        return self._limit is None or self._used.get(name, 0) + size <= max(size, self._limit)

    def add(self, name: Lane, size: int) -> None:
        if self._limit is not None:
            self._used[name] = self._used.get(name, 0) + size
            if not self._used[name]:
                del self._used[name]


class FairQueue:
    """Gives permits to work, never more at a time than the rules allow.

    A user's work keeps its order, but where a kind of work has all that it may have, the user's next work of
    another kind goes first. Between users it goes round: one piece of work each. A user who comes anew stands
    before the one who was served last, so that a single request waits for at most one piece of another
    user's many. Where room is lacking for whose turn it is, it gathers for that one; nobody smaller goes
    first.

    Args:
        rules: how much, how long, and the errors.
        clock: time; the machine's own without one.
    """

    def __init__(self, rules: QueueRules, clock: Clock | None = None) -> None:
        self._rules = rules
        self._clock = clock or SystemClock()
        self._free = rules.capacity
        self._users = _Shares(rules.capacity_per_user)
        self._kinds = _Shares(rules.capacity_per_kind)
        self._lanes: dict[Lane, _Lane] = {}
        self._turns: deque[_Lane] = deque()
        self._served_last: Lane | None = None
        self._waiting = 0
        self._is_held = False
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether no work is taken any more."""
        return self._is_closed

    @property
    def used(self) -> int:
        """Sizes of the work that has a permit, together."""
        return self._rules.capacity - self._free

    @property
    def waiting(self) -> int:
        """How many wait."""
        return self._waiting

    @property
    def waits(self) -> tuple[QueueWait, ...]:
        """Who waits, whose turn comes next first."""
        now = self._clock.monotonic()
        return tuple(
            QueueWait(lane.user, len(lane.waits), now - next(iter(lane.waits)).since) for lane in self._turns
        )

    async def take(self, user: Lane, *, kind: str = "", size: int = 1) -> Permit:
        """Wait for a permit.

        Args:
            user: in whose turn.
            kind: of the work, where the rules know a share of each.
            size: of the capacity, what it takes.

        Raises:
            Exception: of the rules, ``full``, ``too_late`` or ``closed``.
        """
        permit = self.try_take(user, kind=kind, size=size)
        if permit is not None:
            return permit
        turn: asyncio.Future[Permit | Refusal] = asyncio.get_running_loop().create_future()

        def settle(outcome: Permit | Refusal) -> None:
            if not turn.done():
                turn.set_result(outcome)
            elif isinstance(outcome, Permit):
                outcome.release()  # who asked left at this very moment

        wait = self.line_up(user, settle, kind=kind, size=size)
        try:
            outcome = await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self.leave(wait)
            else:
                settle(turn.result())
            raise
        if isinstance(outcome, Permit):
            return outcome
        raise outcome()

    def try_take(self, user: Lane, *, kind: str = "", size: int = 1) -> Permit | None:
        """Take a permit if there is one at once, and nobody of the user's stands before.

        Raises:
            Exception: of the rules, ``closed``.
        """
        self._check()
        lane = self._lanes.get(user)
        stands_behind = (lane is not None and self._first(lane) is not None) or self._next() is not None
        if stands_behind or not (self._has_room(size) and self._admits(user, kind, size)):
            return None
        return self._permit(user, kind, size)

    def line_up(self, user: Lane, settle: Settle, *, kind: str = "", size: int = 1) -> Wait:
        """Stand in the queue; `settle` is called once, unless the wait is left.

        Raises:
            Exception: of the rules, ``full`` or ``closed``.
        """
        self._check()
        rules, lane = self._rules, self._lanes.get(user)
        if rules.max_waiting is not None and self._waiting >= rules.max_waiting:
            raise rules.full("total")
        of_user = 0 if lane is None else len(lane.waits)
        if rules.max_waiting_per_user is not None and of_user >= rules.max_waiting_per_user:
            raise rules.full("user")
        if lane is None:
            lane = self._lanes[user] = _Lane(user)
            before_last = bool(self._turns) and self._turns[-1].user == self._served_last
            self._turns.insert(len(self._turns) - before_last, lane)
        wait = Wait(user, kind, size, self._clock.monotonic(), settle)
        lane.waits[wait] = self._clock.call_later(rules.wait_s, partial(self._expire, wait))
        self._waiting += 1
        return wait

    def leave(self, *waits: Wait) -> None:
        """Take out who no longer wants to wait; those who do not wait any more are left alone."""
        for wait in waits:
            self._take_out(wait)
        self._serve()  # a smaller one may have stood behind

    def close(self) -> None:
        """Refuse everybody who waits, and all who come from now on."""
        self._is_closed = True
        self.dismiss(self._rules.closed)

    def dismiss(self, refusal: Refusal) -> None:
        """Refuse everybody who waits just now, each with an error of their own."""
        for wait in [wait for lane in self._turns for wait in lane.waits]:
            self._refuse(wait, refusal)

    def hold(self) -> None:
        """Give no permit until :meth:`release`: who comes waits."""
        self._is_held = True

    def release(self) -> None:
        """Go on after :meth:`hold`."""
        self._is_held = False
        self._serve()

    def _check(self) -> None:
        if self._is_closed:
            raise self._rules.closed()

    def _has_room(self, size: int) -> bool:
        return not self._is_held and self._free >= size

    def _admits(self, user: Lane, kind: str, size: int) -> bool:
        return self._users.admits(user, size) and self._kinds.admits(kind, size)

    def _first(self, lane: _Lane) -> Wait | None:
        """Return whose turn is next of one user's, whether there is room for it or not."""
        return next((wait for wait in lane.waits if self._kinds.admits(wait.kind, wait.size)), None)

    def _next(self) -> Wait | None:
        """Return whose turn is next of all, whether there is room for it or not."""
        firsts = (self._first(lane) for lane in self._turns)
        return next((wait for wait in firsts if wait and self._users.admits(wait.user, wait.size)), None)

    def _serve(self) -> None:
        """Give permits to those whose turn it is."""
        while self._has_room(1) and (wait := self._next()) is not None and self._has_room(wait.size):
            self._take_out(wait)
            wait.settle(self._permit(wait.user, wait.kind, wait.size))

    def _permit(self, user: Lane, kind: str, size: int) -> Permit:
        """Make a permit; its user goes behind the others."""
        lane = self._lanes.get(user)
        if lane is not None:
            self._turns.remove(lane)
            self._turns.append(lane)
        self._free -= size
        self._users.add(user, size)
        self._kinds.add(kind, size)
        self._served_last = user
        return Permit(user, kind, size, self._take_back)

    def _take_back(self, permit: Permit) -> None:
        self._free += permit.size
        self._users.add(permit.user, -permit.size)
        self._kinds.add(permit.kind, -permit.size)
        self._serve()

    def _take_out(self, wait: Wait) -> bool:
        """End a wait, and tell whether it had not ended before."""
        lane = self._lanes.get(wait.user)
        if lane is None or wait not in lane.waits:
            return False
        lane.waits.pop(wait).cancel()
        self._waiting -= 1
        if not lane.waits:
            del self._lanes[wait.user]
            self._turns.remove(lane)
        return True

    def _refuse(self, wait: Wait, refusal: Refusal) -> None:
        if self._take_out(wait):
            wait.settle(refusal)

    def _expire(self, wait: Wait) -> None:
        self._refuse(wait, self._rules.too_late)
        self._serve()
