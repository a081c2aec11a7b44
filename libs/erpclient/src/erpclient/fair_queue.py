"""A fair queue: limited concurrency, turns between users or by recent use, bounded waits."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator
from functools import partial
from types import TracebackType
from typing import Self

from attrs import define, field, frozen

from erpclient.clock import Clock, SystemClock, Timer
from erpclient.lanes import Lane, is_background
from erpclient.queue_rules import QueueRules, Refusal
from erpclient.recent_use import Charge, RecentUse
from erpclient.waiting_places import WaitingPlaces


@frozen
class QueueWait:
    """Waiting requests of one user.

    Attributes:
        user: the user.
        waiting: number of requests.
        longest_s: wait of the oldest one.
    """

    user: Lane
    waiting: int
    longest_s: float


@define(eq=False)
class Permit:
    """Permission to work until it is released; also a context manager that releases it."""

    user: Lane
    kind: str
    size: int
    _give_back: Callable[["Permit"], None]
    _share_cost: Callable[["Permit", Collection[Lane]], None]
    _is_active: bool = True

    def share_cost(self, users: Collection[Lane]) -> None:
        """Charge the time of this work to several users in equal parts, if the queue goes by use."""
        self._share_cost(self, users)

    def release(self) -> None:
        """Give the permit back. Further calls do nothing. Only in the event loop's thread."""
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
"""Receives the result of a wait: a permit, or a function that makes the error."""


@define(eq=False)
class Wait:
    """Work that waits for its turn."""

    user: Lane
    kind: str
    size: int
    reserve: str
    since: float
    resolve: Resolve


@define(eq=False)
class _Lane:
    """Waits of one user in order, each with the timer that ends it."""

    user: Lane
    waits: dict[Wait, Timer] = field(factory=dict)


class _Shares:
    """Used capacity by name, counted only if there is a limit."""

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
    """Grants permits to work, within the limits of its rules.

    The work of a user keeps its order, except that work of another kind passes a kind at its limit. Users
    take turns, one piece of work each. A new user goes before the one served last, so that a single request
    waits for at most one piece of another user's backlog. With ``by_use`` the user with the least recent use
    goes first, and turns decide between equals. If there is no room for the next piece of work, freed
    capacity collects for it, and smaller work does not pass it. Lanes in the background are served when no
    other lane waits.

    Args:
        rules: limits and errors.
        clock: time; the system clock without one.
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
        self.is_closed = False

    @property
    def used(self) -> int:
        """Total size of the work with a permit."""
        return self._rules.capacity - self._free

    @property
    def waiting(self) -> int:
        """Number of waiting requests."""
        return self._waiting

    @property
    def waits(self) -> tuple[QueueWait, ...]:
        """Waiting users, the next turn first."""
        now, use = self._clock.monotonic(), self._use
        lanes = self._turns if use is None else sorted(self._turns, key=lambda lane: use.seconds(lane.user))
        return tuple(
            QueueWait(lane.user, len(lane.waits), now - next(iter(lane.waits)).since) for lane in lanes
        )

    async def take(self, user: Lane, *, kind: str = "", size: int = 1, reserve: str = "") -> Permit:
        """Wait for a permit.

        Args:
            user: lane of the work.
            kind: kind of the work, if the rules limit kinds.
            size: capacity that the work takes.
            reserve: class of the request, if the rules reserve places for it.

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
                outcome.release()  # its waiter was cancelled at this moment

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
        """Take a permit if one is free and no earlier work of the user waits.

        Raises:
            Exception: of the rules, ``closed``.
        """
        self._check()
        lane = self._lanes.get(user)
        is_behind = (lane is not None and self._first(lane) is not None) or any(self._eligible())
        if is_behind or not (self._has_capacity(size) and self._admits(user, kind, size)):
            return None
        return self._permit(user, kind, size)

    def enqueue(
        self, user: Lane, resolve: Resolve, *, kind: str = "", size: int = 1, reserve: str = ""
    ) -> Wait:
        """Enter the queue; `resolve` is called once, unless the wait is withdrawn.

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
        """Withdraw waits; finished ones are ignored."""
        for wait in waits:
            self._remove(wait)
        self._serve()  # smaller work may have waited behind

    def close(self) -> None:
        """Refuse all waiting and new work."""
        self.is_closed = True
        self.refuse_waiting(self._rules.closed)

    def refuse_waiting(self, refusal: Refusal) -> None:
        """Refuse all waiting work, each with its own error."""
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
        if self.is_closed:
            raise self._rules.closed()

    def _has_capacity(self, size: int) -> bool:
        return not self._is_paused and self._free >= size

    def _admits(self, user: Lane, kind: str, size: int) -> bool:
        return self._users.admits(user, size) and self._kinds.admits(kind, size)

    def _first(self, lane: _Lane) -> Wait | None:
        return next((wait for wait in lane.waits if self._kinds.admits(wait.kind, wait.size)), None)

    def _eligible(self) -> Iterator[Wait]:
        for lanes in (self._foreground(), self._background()):
            found = [
                wait
                for lane in lanes
                if (wait := self._first(lane)) is not None and self._users.admits(wait.user, wait.size)
            ]
            if found:
                return iter(found)
        return iter(())

    def _foreground(self) -> Iterator[_Lane]:
        return (lane for lane in self._turns if not is_background(lane.user))

    def _background(self) -> Iterator[_Lane]:
        return (lane for lane in self._turns if is_background(lane.user))

    def _next(self) -> Wait | None:
        use = self._use
        if use is None:
            return next(self._eligible(), None)
        return min(self._eligible(), key=lambda wait: use.seconds(wait.user), default=None)

    def _evict_for(self, places: WaitingPlaces, reserve: str, of_user: int) -> None:
        """Evict the newest request of the longest lane if there is no place for one more.

        Args:
            places: places to wait in.
            reserve: class of the newcomer.
            of_user: requests of the newcomer's user, with the new one.

        Raises:
            Exception: of the rules, ``full``: the newcomer is in the longest lane.
        """
        # A lane that is not longer than the newcomer's own keeps its requests: a swap would not help.
        if places.admits(reserve):
            return
        evictable = self._find_evictable(places, reserve) if self._use is not None else None
        if evictable is None or len(self._lanes[evictable.user].waits) <= of_user:
            raise self._rules.full("total")
        self._refuse(evictable, partial(self._rules.full, "total"))

    def _find_evictable(self, places: WaitingPlaces, newcomer: str) -> Wait | None:
        newest = (
            next((wait for wait in reversed(lane.waits) if places.gives_way(wait.reserve, newcomer)), None)
            for lane in reversed(self._turns)
        )
        return max(filter(None, newest), key=lambda wait: len(self._lanes[wait.user].waits), default=None)

    def _serve(self) -> None:
        while self._has_capacity(1) and (wait := self._next()) is not None and self._has_capacity(wait.size):
            self._remove(wait)
            wait.resolve(self._permit(wait.user, wait.kind, wait.size))

    def _permit(self, user: Lane, kind: str, size: int) -> Permit:
        """Create a permit; its user goes to the end of the round."""
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
        """Remove a wait; return False if it has ended already."""
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
