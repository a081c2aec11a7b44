"""Failures and running attempts per key in a sliding window; time comes in with each call."""

from collections import OrderedDict, deque

from attrs import Factory, define


@define(eq=False)
class Block:
    """One block of one key: from the failure that reached the limit until the oldest one leaves the window.

    Attributes:
        attempts: attempts refused so far; counted by whoever refuses.
    """

    attempts: int = 0


@define(eq=False)
class _Count:
    failed_at: deque[float] = Factory(deque)
    running: int = 0
    block: Block | None = None


class FailureCounts:
    """Counts for at most `capacity` keys; beyond that, the key that failed longest ago is forgotten.

    Running attempts take part in the limit, so that guesses made at the same time cannot get past it.
    """

    def __init__(self, *, limit: int, window_s: float, capacity: int, success_clears: bool) -> None:
        """Take the numbers.

        Args:
            limit: failures within the window that block a key.
            window_s: seconds for which a failure counts.
            capacity: most keys remembered.
            success_clears: whether a success forgets the key's failures.
        """
        self._limit = limit
        self._window_s = window_s
        self._capacity = capacity
        self._success_clears = success_clears
        self._counts: OrderedDict[str, _Count] = OrderedDict()  # the latest failure last

    def __len__(self) -> int:
        return len(self._counts)

    def find_block(self, key: str, now: float) -> tuple[Block, float] | None:
        """Return the key's block and the seconds until it ends, or None when it is not blocked."""
        self._forget_old(now)
        count = self._counts.get(key)
        if count is None:
            return None
        while count.failed_at and count.failed_at[0] <= now - self._window_s:
            count.failed_at.popleft()
        if len(count.failed_at) < self._limit:
            count.block = None
            return None
        if count.block is None:
            count.block = Block()
        return count.block, count.failed_at[0] + self._window_s - now

    def has_room(self, key: str) -> bool:
        """Tell whether one more attempt could fail without passing the limit; ask `find_block` before."""
        count = self._counts.get(key)
        return count is None or len(count.failed_at) + count.running < self._limit

    def start(self, key: str) -> None:
        """Count a running attempt."""
        count = self._counts.get(key)
        if count is None:
            self._make_room()
            count = self._counts[key] = _Count()
        count.running += 1

    def end(self, key: str, *, succeeded: bool | None, now: float) -> None:
        """Count the outcome of a running attempt; None counts nothing."""
        count = self._counts[key]
        count.running -= 1
        if succeeded is False:
            count.failed_at.append(now)
            self._counts.move_to_end(key)
        elif succeeded and self._success_clears:
            count.failed_at.clear()
        if not count.running and not count.failed_at:
            del self._counts[key]

    def _forget_old(self, now: float) -> None:
        while self._counts:
            key, count = next(iter(self._counts.items()))
            if count.running or count.failed_at[-1] > now - self._window_s:
                return
            del self._counts[key]

    def _make_room(self) -> None:
        if len(self._counts) < self._capacity:
            return
        idle = next((key for key, count in self._counts.items() if not count.running), None)
        if idle is not None:
            del self._counts[idle]
