"""Failures of each key within a window of time."""

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable

from attrs import Factory, define


@define(eq=False)
class Block:
    """One block of one key: from the failure that reached the limit until the oldest one leaves the window.

    Attributes:
        attempts: attempts refused so far; the caller that refuses counts them.
    """

    attempts: int = 0


@define(eq=False)
class _Failures:
    """The failures of one key, at least one, the latest last."""

    at: deque[float] = Factory(deque)
    block: Block | None = None


class FailureCounts:
    """Failures of at most `capacity` keys; beyond that, the key with the oldest last failure is forgotten.

    Running attempts count towards the limit, so that concurrent guesses cannot exceed it. They are counted
    separately from failures, so they do not affect which failures are forgotten.
    """

    def __init__(self, *, limit: int, window_s: float, capacity: int, success_clears: bool) -> None:
        """Take the numbers.

        Args:
            limit: failures within the window that block a key.
            window_s: seconds for which a failure counts.
            capacity: most keys whose failures are remembered, at least 1.
            success_clears: whether a success forgets the key's failures.
        """
        self._limit = limit
        self._window_s = window_s
        self._capacity = capacity
        self._success_clears = success_clears
        self._failures: OrderedDict[str, _Failures] = OrderedDict()  # the key with the latest failure last
        self._running: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._failures) + sum(key not in self._failures for key in self._running)

    def find_block(self, key: str, now: float) -> tuple[Block, float] | None:
        """Return the key's block and the seconds until it ends, or None when it is not blocked."""
        self._forget_old(now)
        failures = self._failures.get(key)
        if failures is None:
            return None
        while failures.at[0] <= now - self._window_s:  # the latest is younger, or the key were forgotten
            failures.at.popleft()
        if len(failures.at) < self._limit:
            failures.block = None
            return None
        if failures.block is None:
            failures.block = Block()
        return failures.block, failures.at[0] + self._window_s - now

    def has_capacity(self, key: str) -> bool:
        """Return whether one more attempt could fail without exceeding the limit. Call `find_block`
        before.
        """
        failures = self._failures.get(key)
        failed = 0 if failures is None else len(failures.at)
        return failed + self._running[key] < self._limit

    def start(self, key: str) -> None:
        """Count a running attempt."""
        self._running[key] += 1

    def end(self, key: str, *, succeeded: bool | None, now: float) -> None:
        """Count the outcome of a running attempt; None counts nothing."""
        self._running[key] -= 1
        if not self._running[key]:
            del self._running[key]
        if succeeded is False:
            self._failures.setdefault(key, _Failures()).at.append(now)
            self._failures.move_to_end(key)
            if len(self._failures) > self._capacity:
                self._failures.popitem(last=False)
        elif succeeded and self._success_clears:
            self._failures.pop(key, None)

    def lift(self, key: str, now: float) -> bool:
        """Forget the failures of a blocked key; return False without an effect if it is not blocked."""
        if self.find_block(key, now) is None:
            return False
        del self._failures[key]
        return True

    def ages(self, key: str, now: float) -> tuple[float, ...]:
        """Return the ages of the key's failures that still count, the oldest first."""
        self._forget_old(now)
        failures = self._failures.get(key)
        at = () if failures is None else failures.at
        return tuple(now - moment for moment in at if moment > now - self._window_s)

    def restore(self, key: str, ages: Iterable[float], now: float) -> None:
        """Count failures of so many seconds ago; call it with the key that failed last at the end."""
        moments = sorted(now - age for age in ages if age < self._window_s)
        if moments:
            self._failures[key] = _Failures(deque(moments[-self._limit :]))
            if len(self._failures) > self._capacity:
                self._failures.popitem(last=False)

    def _forget_old(self, now: float) -> None:
        while self._failures:
            key, failures = next(iter(self._failures.items()))
            if failures.at[-1] > now - self._window_s:
                return
            del self._failures[key]
