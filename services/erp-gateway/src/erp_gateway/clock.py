"""Time as a parameter, so that timeouts can be tested without waiting."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What a component may ask about time."""

    def now(self) -> datetime:
        """Return the wall clock as an aware UTC time; for records, never for measuring."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never jump; for timeouts and windows."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return the machine's monotonic seconds."""
        return time.monotonic()


def iso_utc(moment: datetime) -> str:
    """Return an aware time as ISO 8601 in UTC with milliseconds and `Z`; texts sort as the times do."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
