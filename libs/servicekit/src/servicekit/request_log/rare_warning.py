"""A warning about something that each request may show: logged at most once a minute."""

import time
from collections.abc import Callable

import structlog

from servicekit.logs.pace import LinePace


class RareWarning:
    """Logs one event at most once a minute; the next line counts the skipped ones."""

    def __init__(self, event: str, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Take the event.

        Args:
            event: name of the log line.
            monotonic: returns seconds that never jump.
        """
        self._event = event
        self._pace = LinePace(monotonic=monotonic)
        self._log = structlog.get_logger(__name__)

    def __call__(self, **facts: str) -> None:
        """Log the event with these facts, unless it was logged within the last minute."""
        repeated = self._pace.admit()
        if repeated is not None:
            more = {"repeated": repeated} if repeated else {}
            self._log.warning(self._event, **facts, **more)
