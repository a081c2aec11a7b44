"""The queue of exports, prints and queries reports to its observer."""

import asyncio
from collections.abc import Callable

import pytest

from erpclient import QueueRules
from servicekit.erp.observed_queue import ObservedQueue
from servicekit.errors import ServiceError, ShuttingDown


class QueueFullError(ServiceError):
    status = 503
    code = "test_queue_full"
    detail = "La cola está llena."


class Seen:
    """Calls of an observer."""

    def __init__(self) -> None:
        self.ends: list[tuple[str, str, bool]] = []
        self.waiting: Callable[[], int]
        self.running: Callable[[], int]

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Keep both."""
        self.waiting, self.running = waiting, running

    def ended(self, *, name: str, outcome: str, duration_s: float) -> None:
        """Keep it."""
        self.ends.append((name, outcome, 0 <= duration_s < 5))


@pytest.mark.asyncio
async def test_an_observer_sees_waiting_and_running_entries_and_their_results() -> None:
    observed = Seen()
    rules = QueueRules(
        capacity=1, wait_s=10, full=lambda _: QueueFullError(), too_late=QueueFullError, closed=ShuttingDown
    )
    queue, counted = ObservedQueue(rules, observed), asyncio.Event()

    async def work(error: BaseException | None) -> None:
        async with queue.observed("a"):
            with await queue.take("a"):
                await counted.wait()
                if error is not None:
                    raise error

    errors = (None, QueueFullError(), ValueError("hidden"), asyncio.CancelledError())
    tasks = [asyncio.create_task(work(error)) for error in errors]
    for _ in range(5):
        await asyncio.sleep(0)
    assert (observed.waiting(), observed.running()) == (3, 1)
    counted.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (observed.waiting(), observed.running()) == (0, 0)
    outcomes = ("ok", "test_queue_full", "internal_error", "cancelled")
    assert observed.ends == [("a", outcome, True) for outcome in outcomes]
