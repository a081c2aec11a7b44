"""Rate limit for log lines about an ongoing condition: the first at once, then at most one a minute."""

import time
from collections.abc import Callable
from typing import Any, Final

import structlog

EVERY_S: Final = 60.0


class LinePace:
    """Counts events and selects those that deserve a line.

    Args:
        monotonic: returns seconds that never jump.
    """

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._next_at: float | None = None
        self._passed_over = 0

    def admit(self) -> int | None:
        """Return the number of events skipped since the last line, or None if no line is due."""
        now = self._monotonic()
        if self._next_at is not None and now < self._next_at:
            self._passed_over += 1
            return None
        self._next_at = now + EVERY_S
        return self.take_passed_over()

    def take_passed_over(self) -> int:
        """Return and reset the number of events without a line."""
        passed_over, self._passed_over = self._passed_over, 0
        return passed_over


class FailureStreak:
    """Logs failures of one kind: the first one, then one line a minute with a count, then that they ended.

    Args:
        failing: name of the line about a failure. `repeated` counts those before it without a line.
        ended: name of the line after the first success, with `repeated` and `after_s`.
        monotonic: returns seconds that never jump.
    """

    def __init__(
        self, failing: str, ended: str, *, monotonic: Callable[[], float] = time.monotonic, **facts: Any
    ) -> None:
        self._failing = failing
        self._ended = ended
        self._monotonic = monotonic
        self._facts = facts
        self._pace = LinePace(monotonic=monotonic)
        self._began: float | None = None
        self._log = structlog.get_logger(__name__)

    def failed(self, *, trace: BaseException | None = None, **facts: Any) -> None:
        """Record a failure.

        Args:
            trace: exception whose trace is logged; None for an expected cause.
            facts: further values of the line.
        """
        repeated = self._pace.admit()
        if repeated is None:
            return
        if self._began is None:
            self._began = self._monotonic()
        if repeated:
            facts["repeated"] = repeated
        if trace is not None:
            facts["exc_info"] = trace
        self._log.error(self._failing, **self._facts, **facts)

    def succeeded(self) -> None:
        """End the streak, if there is one with a line."""
        if self._began is None:
            return
        after_s = round(self._monotonic() - self._began, 3)
        self._began = None
        repeated = self._pace.take_passed_over()
        self._log.warning(self._ended, **self._facts, repeated=repeated, after_s=after_s)
