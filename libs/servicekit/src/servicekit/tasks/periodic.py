"""Work that is repeated while a process serves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def every(interval_s: float, name: str, work: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Do `work` at once and then every `interval_s` seconds while the block runs; end it on leaving.

    A failure is logged, and the next turn tries again.
    """
    task = asyncio.create_task(_repeat(interval_s, name, work), name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _repeat(interval_s: float, name: str, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - the next turn must come, whatever this one met
            _log.error("periodic_work_failed", work=name, exc_info=error)
        await asyncio.sleep(interval_s)
