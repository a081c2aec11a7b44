"""A clock that stands still until a test moves it."""

import heapq
import itertools
from collections.abc import Callable


class ManualTimer:
    """A callback that the clock will make, unless it is cancelled."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class ManualClock:
    """Keeps every promise of ``erpclient.Clock``, in a time of its own."""

    def __init__(self, now: float = 1_000.0) -> None:
        self._now = now
        self._order = itertools.count()
        self._timers: list[tuple[float, int, ManualTimer]] = []

    def monotonic(self) -> float:
        return self._now

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> ManualTimer:
        timer = ManualTimer(callback)
        heapq.heappush(self._timers, (self._now + delay_s, next(self._order), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Let time pass, and make the calls that fall due, each at its own moment."""
        until = self._now + seconds
        while self._timers and self._timers[0][0] <= until:
            self._now, _, timer = heapq.heappop(self._timers)
            callback = timer.callback
            if callback is not None:
                timer.cancel()
                callback()
        self._now = until

    @property
    def armed(self) -> int:
        """Number of calls still to be made."""
        return sum(1 for _, _, timer in self._timers if timer.callback is not None)
