"""The queue of exports, prints and queries: what its observer is told."""

import asyncio
from collections.abc import Callable

import pytest

from erp_gateway.observed_queue import ObservedQueue
from erp_gateway.reports.html.errors import PdfQueueFull, PdfQueueTimeout
from erpclient import QueueRules
from servicekit.errors import ShuttingDown


class Seen:
    """What an observer was told."""

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
async def test_an_observer_sees_who_waits_who_works_and_how_it_ended() -> None:
    seen = Seen()
    rules = QueueRules(
        capacity=1, wait_s=10, full=lambda _: PdfQueueFull(), too_late=PdfQueueTimeout, closed=ShuttingDown
    )
    queue, counted = ObservedQueue(rules, seen), asyncio.Event()

    async def work(error: BaseException | None) -> None:
        async with queue.observed("a"):
            with await queue.take("a"):
                await counted.wait()
                if error is not None:
                    raise error

    errors = (None, PdfQueueFull(), ValueError("hidden"), asyncio.CancelledError())
    tasks = [asyncio.create_task(work(error)) for error in errors]
    for _ in range(5):
        await asyncio.sleep(0)
    assert (seen.waiting(), seen.running()) == (3, 1)
    counted.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (seen.waiting(), seen.running()) == (0, 0)
    outcomes = ("ok", "pdf_queue_full", "internal_error", "cancelled")
    assert seen.ends == [("a", outcome, True) for outcome in outcomes]
