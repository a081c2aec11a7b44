"""Log lines of a database that can't be reached."""

import time
from collections.abc import Callable
from threading import Lock

from servicekit.logs.pace import FailureStreak


class OutageLog:
    """Logs failed connections: the first of each cause, then one line a minute with a count, then the end.

    Without it an outage writes a line for each request. Reads run in threads of their own, hence the lock.

    Args:
        engine: name of the engine, for the lines.
        monotonic: returns seconds that never jump.
    """

    def __init__(self, engine: str, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._monotonic = monotonic
        self._lock = Lock()
        self._streaks: dict[int, FailureStreak] = {}

    def failed(self, code: int, error: str) -> None:
        """Record a connection that failed with the driver's error."""
        with self._lock:
            if code not in self._streaks:
                self._streaks[code] = FailureStreak(
                    "database_error",
                    "database_connected_again",
                    engine=self._engine,
                    monotonic=self._monotonic,
                )
            self._streaks[code].failed(code=code, error=error)

    def connected(self) -> None:
        """Record a connection that was opened."""
        with self._lock:
            for streak in self._streaks.values():
                streak.succeeded()
