"""A fair queue with metrics: waiting and running work, durations and outcomes."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from erpclient import FairQueue, QueueRules
from servicekit.errors import as_service_error


class QueueObserver(Protocol):
    """Receives the counts and results of a queue's work."""

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Register functions that return the numbers of waiting and running entries."""
        ...

    def ended(self, *, name: str, outcome: str, duration_s: float) -> None:
        """Record a finished entry, including its wait: `ok`, the code of a refusal, or `cancelled`."""
        ...


class ObservedQueue(FairQueue):
    """A fair queue that reports the work done under `observed`.

    Args:
        rules: limits and errors.
        observer: receives the results.
    """

    def __init__(self, rules: QueueRules, observer: QueueObserver | None = None) -> None:
        super().__init__(rules)
        self._observer = observer
        if observer is not None:
            observer.watch(lambda: self.waiting, lambda: self.used)

    @asynccontextmanager
    async def observed(self, name: str) -> AsyncIterator[None]:
        """Report the duration of the block, its wait included, and its outcome.

        Args:
            name: of the work.
        """
        started = time.perf_counter()
        outcome = "ok"
        try:
            yield
        except Exception as error:
            outcome = as_service_error(error).code
            raise
        except BaseException:
            outcome = "cancelled"
            raise
        finally:
            if self._observer is not None:
                self._observer.ended(name=name, outcome=outcome, duration_s=time.perf_counter() - started)
