"""Work that is repeated while a process serves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from servicekit.errors import ServiceError
from servicekit.logs.pace import FailureStreak


@asynccontextmanager
async def every(interval_s: float, name: str, work: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Do `work` at once and then every `interval_s` seconds while the block runs; end it on leaving.

    A failure is logged (once a minute, with a trace unless it is foreseen), and the next turn tries again.
    """
    task = asyncio.create_task(_repeat(interval_s, name, work), name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _repeat(interval_s: float, name: str, work: Callable[[], Awaitable[object]]) -> None:
    streak = FailureStreak("periodic_work_failed", "periodic_work_well_again", work=name)
    while True:
        try:
            await work()
        except ServiceError as error:
            streak.failed(reason=f"{type(error).__name__}: {error.__cause__ or error}")
        except Exception as error:  # noqa: BLE001 - a failure must not prevent the next turn
            streak.failed(trace=error)
        else:
            streak.succeeded()
        await asyncio.sleep(interval_s)
