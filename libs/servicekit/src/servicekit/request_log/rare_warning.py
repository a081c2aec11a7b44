"""A warning about something that each request may show: logged at most once a minute."""

import time
from collections.abc import Callable
from typing import Final

import structlog

EVERY_S: Final = 60.0


class RareWarning:
    """Logs one event, and passes over it for a minute."""

    def __init__(self, event: str, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Take the event.

        Args:
            event: name of the log line.
            monotonic: returns seconds that never jump.
        """
        self._event = event
        self._monotonic = monotonic
        self._next_at = 0.0
        self._log = structlog.get_logger(__name__)

    def __call__(self, **facts: str) -> None:
        """Log the event with these facts, unless it was logged within the last minute."""
        now = self._monotonic()
        if now < self._next_at:
            return
        self._next_at = now + EVERY_S
        self._log.warning(self._event, **facts)
