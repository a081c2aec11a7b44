"""A fair queue: limited work at a time, users in turn or by recent use, and no wait without an end."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator
from functools import partial
from types import TracebackType
from typing import Self

from attrs import define, field, frozen

from erpclient.clock import Clock, SystemClock, Timer
from erpclient.lanes import Lane
from erpclient.queue_rules import QueueRules, Refusal
from erpclient.recent_use import Charge, RecentUse
from erpclient.waiting_places import WaitingPlaces


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
    _share_cost: Callable[["Permit", Collection[Lane]], None]
    _is_active: bool = True

    def share_cost(self, users: Collection[Lane]) -> None:
        """Charge the time of this work to several users in equal parts, where the rules count it."""
        self._share_cost(self, users)

    def release(self) -> None:
        """Let the next in turn work. Further calls do nothing. For the event loop's thread."""
        if self._is_active:
            self._is_active = False
            self._give_back(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


Resolve = Callable[[Permit | Refusal], None]
"""Takes what a wait ended with: a permit, or what makes the error."""


@define(eq=False)
class Wait:
    """One piece of work that waits for its turn."""

    user: Lane
    kind: str
    size: int
    reserve: str
    since: float
    resolve: Resolve


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
    user's many. With ``by_use`` the user with the least recent use is next, and the round decides between
    equals. Where room is lacking for whose turn it is, it gathers for that one; nobody smaller goes first.

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
        self._use = RecentUse(self._clock.monotonic) if rules.by_use else None
        self._charges: dict[Permit, Charge] = {}
        self._places = None if rules.max_waiting is None else WaitingPlaces(rules.max_waiting, rules.reserved)
        self._lanes: dict[Lane, _Lane] = {}
        self._turns: deque[_Lane] = deque()
        self._served_last: Lane | None = None
        self._waiting = 0
        self._is_paused = False
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
        now, use = self._clock.monotonic(), self._use
        lanes = self._turns if use is None else sorted(self._turns, key=lambda lane: use.seconds(lane.user))
        return tuple(
            QueueWait(lane.user, len(lane.waits), now - next(iter(lane.waits)).since) for lane in lanes
        )

    async def take(self, user: Lane, *, kind: str = "", size: int = 1, reserve: str = "") -> Permit:
        """Wait for a permit.

        Args:
            user: in whose turn.
            kind: of the work, where the rules know a share of each.
            size: of the capacity, what it takes.
            reserve: class of the request, where the rules reserve places to wait in.

        Raises:
            Exception: of the rules, ``full``, ``too_late`` or ``closed``.
        """
        permit = self.try_take(user, kind=kind, size=size)
        if permit is not None:
            return permit
        turn: asyncio.Future[Permit | Refusal] = asyncio.get_running_loop().create_future()

        def resolve(outcome: Permit | Refusal) -> None:
            if not turn.done():
                turn.set_result(outcome)
            elif isinstance(outcome, Permit):
                outcome.release()  # who asked left at this very moment

        wait = self.enqueue(user, resolve, kind=kind, size=size, reserve=reserve)
        try:
            outcome = await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self.withdraw(wait)
            else:
                resolve(turn.result())
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
        is_behind = (lane is not None and self._first(lane) is not None) or any(self._eligible())
        if is_behind or not (self._has_room(size) and self._admits(user, kind, size)):
            return None
        return self._permit(user, kind, size)

    def enqueue(
        self, user: Lane, resolve: Resolve, *, kind: str = "", size: int = 1, reserve: str = ""
    ) -> Wait:
        """Stand in the queue; `resolve` is called once, unless the wait is left.

        Raises:
            Exception: of the rules, ``full`` or ``closed``.
        """
        self._check()
        rules, lane = self._rules, self._lanes.get(user)
        of_user = 0 if lane is None else len(lane.waits)
        if rules.max_waiting_per_user is not None and of_user >= rules.max_waiting_per_user:
            raise rules.full("user")
        if self._places is not None:
            self._evict_for(self._places, reserve, of_user + 1)
            self._places.take(reserve)
        lane = self._lanes.get(user)  # again: an eviction may let this lane's last request go
        if lane is None:
            lane = self._lanes[user] = _Lane(user)
            before_last = bool(self._turns) and self._turns[-1].user == self._served_last
            self._turns.insert(len(self._turns) - before_last, lane)
        wait = Wait(user, kind, size, reserve, self._clock.monotonic(), resolve)
        lane.waits[wait] = self._clock.call_later(rules.wait_s, partial(self._expire, wait))
        self._waiting += 1
        return wait

    def withdraw(self, *waits: Wait) -> None:
        """Take out who no longer wants to wait; those who do not wait any more are left alone."""
        for wait in waits:
            self._remove(wait)
        self._serve()  # a smaller one may have stood behind

    def close(self) -> None:
        """Refuse everybody who waits, and all who come from now on."""
        self._is_closed = True
        self.refuse_waiting(self._rules.closed)

    def refuse_waiting(self, refusal: Refusal) -> None:
        """Refuse everybody who waits just now, each with an error of their own."""
        for wait in [wait for lane in self._turns for wait in lane.waits]:
            self._refuse(wait, refusal)

    def pause(self) -> None:
        """Grant no permit until :meth:`resume`; new requests wait."""
        self._is_paused = True

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        self._is_paused = False
        self._serve()

    def _check(self) -> None:
        if self._is_closed:
            raise self._rules.closed()

    def _has_room(self, size: int) -> bool:
        return not self._is_paused and self._free >= size

    def _admits(self, user: Lane, kind: str, size: int) -> bool:
        return self._users.admits(user, size) and self._kinds.admits(kind, size)

    def _first(self, lane: _Lane) -> Wait | None:
        """Return whose turn is next of one user's, whether there is room for it or not."""
        return next((wait for wait in lane.waits if self._kinds.admits(wait.kind, wait.size)), None)

    def _eligible(self) -> Iterator[Wait]:
        """Yield the first of each user who may have more, in the order of the round."""
        firsts = (self._first(lane) for lane in self._turns)
        return (wait for wait in firsts if wait and self._users.admits(wait.user, wait.size))

    def _next(self) -> Wait | None:
        """Return whose turn is next of all, whether there is room for it or not."""
        use = self._use
        if use is None:
            return next(self._eligible(), None)
        return min(self._eligible(), key=lambda wait: use.seconds(wait.user), default=None)

    def _evict_for(self, places: WaitingPlaces, reserve: str, of_user: int) -> None:
        """Refuse the newest request of the longest lane if there is no place for one more.

        A lane that would not be longer than the newcomer's own keeps what it has: a swap helps nobody.

        Args:
            places: to wait in.
            reserve: class of the newcomer.
            of_user: requests of the newcomer's user, with the new one.

        Raises:
            Exception: of the rules, ``full``: the newcomer itself is the newest of the longest.
        """
        if places.admits(reserve):
            return
        evictable = self._find_evictable(places, reserve) if self._use is not None else None
        if evictable is None or len(self._lanes[evictable.user].waits) <= of_user:
            raise self._rules.full("total")
        self._refuse(evictable, partial(self._rules.full, "total"))

    def _find_evictable(self, places: WaitingPlaces, newcomer: str) -> Wait | None:
        """Return the newest wait of the longest lane, among those whose place the newcomer may take."""
        newest = (
            next((wait for wait in reversed(lane.waits) if places.gives_way(wait.reserve, newcomer)), None)
            for lane in reversed(self._turns)
        )
        return max(filter(None, newest), key=lambda wait: len(self._lanes[wait.user].waits), default=None)

    def _serve(self) -> None:
        """Give permits to those whose turn it is."""
        while self._has_room(1) and (wait := self._next()) is not None and self._has_room(wait.size):
            self._remove(wait)
            wait.resolve(self._permit(wait.user, wait.kind, wait.size))

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
        permit = Permit(user, kind, size, self._take_back, self._split)
        if self._use is not None:
            self._charges[permit] = self._use.begin(user)
        return permit

    def _split(self, permit: Permit, users: Collection[Lane]) -> None:
        if self._use is not None:
            self._use.split(self._charges[permit], users)

    def _take_back(self, permit: Permit) -> None:
        self._free += permit.size
        self._users.add(permit.user, -permit.size)
        self._kinds.add(permit.kind, -permit.size)
        if self._use is not None:
            self._use.end(self._charges.pop(permit), self._lanes)
        self._serve()

    def _remove(self, wait: Wait) -> bool:
        """End a wait, and tell whether it had not ended before."""
        lane = self._lanes.get(wait.user)
        if lane is None or wait not in lane.waits:
            return False
        lane.waits.pop(wait).cancel()
        self._waiting -= 1
        if self._places is not None:
            self._places.give_back(wait.reserve)
        if not lane.waits:
            del self._lanes[wait.user]
            self._turns.remove(lane)
        return True

    def _refuse(self, wait: Wait, refusal: Refusal) -> None:
        if self._remove(wait):
            wait.resolve(refusal)

    def _expire(self, wait: Wait) -> None:
        self._refuse(wait, self._rules.too_late)
        self._serve()
