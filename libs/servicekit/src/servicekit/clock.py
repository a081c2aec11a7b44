"""Time as a parameter, so that timeouts can be tested without waiting."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Time, as components use it."""

    def now(self) -> datetime:
        """Return the wall clock as an aware UTC time. Use it for records, not for durations."""
        ...

    def monotonic(self) -> float:
        """Return monotonic seconds. Use them for timeouts and windows."""
        ...


class SystemClock:
    """The machine's own clock."""

    monotonic = staticmethod(time.monotonic)

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)


class ManualClock:
    """Clock of tests: it moves only when a test advances it."""

    def __init__(self, now: datetime) -> None:
        """Take the wall clock's first time, aware."""
        self._now = now
        self._monotonic_s = 1000.0

    def now(self) -> datetime:
        """Return the wall clock."""
        return self._now.astimezone(UTC)

    def monotonic(self) -> float:
        """Return the seconds that only `advance` moves."""
        return self._monotonic_s

    def advance(self, seconds: float) -> None:
        """Let time pass on both sides."""
        self._monotonic_s += seconds
        self._now += timedelta(seconds=seconds)

    def set_wall_clock(self, now: datetime) -> None:
        """Set only the wall clock, as an administrator or a time server does."""
        self._now = now


def iso_utc(moment: datetime) -> str:
    """Return an aware time as ISO 8601 in UTC with milliseconds and `Z`; its texts sort chronologically."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
