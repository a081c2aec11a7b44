"""Opens the room."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from erp_gateway.exports.budget import SpoolBudget
from erp_gateway.jobs.jobs import Jobs, JobsObserver
from erp_gateway.settings.modules import Exports
from servicekit.clock import Clock
from servicekit.tasks import every

SWEEP_S: Final = 30.0
"""How often what has expired is looked for, even if nobody asks for anything."""


@asynccontextmanager
async def open_jobs(
    settings: Exports, clock: Clock, budget: SpoolBudget, observer: JobsObserver | None = None
) -> AsyncIterator[Jobs]:
    """Open the room; on leaving, end what runs and delete what was made.

    Args:
        settings: how many, and how long they are kept.
        clock: time.
        budget: the room for their files.
        observer: is told of each.
    """
    jobs = Jobs(
        clock,
        budget,
        keep_s=settings.keep_minutes * 60.0,
        per_user=settings.jobs_per_user,
        observer=observer,
    )

    async def sweep() -> None:
        jobs.sweep()

    async with every(SWEEP_S, "jobs_sweep", sweep):
        try:
            yield jobs
        finally:
            await jobs.aclose()
