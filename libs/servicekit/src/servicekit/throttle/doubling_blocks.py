"""Failure counts that only a success resets, with blocks that double.

A system that locks accounts counts failures until one login succeeds, however much time passes. A window
would let a few failures through in every window and reach that lock in the end.
"""

from collections import Counter, OrderedDict
from typing import Final

from attrs import define

from servicekit.throttle.failure_counts import Block

FIRST_BLOCK_S: Final = 15 * 60.0
LONGEST_BLOCK_S: Final = 24 * 60 * 60.0


@define(eq=False)
class _BlockedKey:
    """A key that reached the limit and has had no success since."""

    duration_s: float
    until: float
    block: Block


class DoublingBlocks:
    """Counts of at most `capacity` keys below the limit and as many that reached it.

    The two are bounded apart, so that failures under many invented keys do not push out a block. After a
    block one attempt at a time passes. If it fails, the next block takes twice as long.
    """

    def __init__(
        self,
        *,
        limit: int,
        capacity: int = 20_000,
        first_s: float = FIRST_BLOCK_S,
        longest_s: float = LONGEST_BLOCK_S,
    ) -> None:
        """Take the numbers.

        Args:
            limit: failures without a success in between that block a key.
            capacity: most keys of either kind, at least 1; beyond that, the oldest failure is forgotten.
            first_s: seconds of a key's first block.
            longest_s: most seconds of a block.
        """
        self._limit = limit
        self._capacity = capacity
        self._first_s = first_s
        self._longest_s = longest_s
        self._failures: OrderedDict[str, int] = OrderedDict()  # below the limit, the latest failure last
        self._blocked: OrderedDict[str, _BlockedKey] = OrderedDict()  # the latest failure last
        self._running: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._failures.keys() | self._blocked.keys() | self._running.keys())

    def find_block(self, key: str, now: float) -> tuple[Block, float] | None:
        """Return the key's block and the seconds until it ends, or None when it is not blocked."""
        blocked = self._blocked.get(key)
        if blocked is None or blocked.until <= now:
            return None
        return blocked.block, blocked.until - now

    def has_capacity(self, key: str) -> bool:
        """Return whether one more attempt could fail without exceeding the limit. Call `find_block`
        before.
        """
        free_places = 1 if key in self._blocked else self._limit - self._failures.get(key, 0)
        return self._running[key] < free_places

    def start(self, key: str) -> None:
        """Count a running attempt."""
        self._running[key] += 1

    def end(self, key: str, *, succeeded: bool | None, now: float) -> None:
        """Count the outcome of a running attempt; None counts nothing."""
        self._running[key] -= 1
        if not self._running[key]:
            del self._running[key]
        if succeeded:
            self._failures.pop(key, None)
            self._blocked.pop(key, None)
        elif succeeded is False:
            self._count_failure(key, now)

    def _count_failure(self, key: str, now: float) -> None:
        before = self._blocked.get(key)
        failures = self._failures.get(key, 0) + 1
        if before is None and failures < self._limit:
            self._failures[key] = failures
            self._failures.move_to_end(key)
            self._forget_oldest(self._failures)
            return
        self._failures.pop(key, None)
        duration_s = self._first_s if before is None else min(2 * before.duration_s, self._longest_s)
        self._blocked[key] = _BlockedKey(duration_s, now + duration_s, Block())
        self._blocked.move_to_end(key)
        self._forget_oldest(self._blocked)

    def _forget_oldest(self, keys: OrderedDict[str, int] | OrderedDict[str, _BlockedKey]) -> None:
        if len(keys) > self._capacity:
            keys.popitem(last=False)
