"""Asyncio work beside the requests: repeated work, and work that a cancellation must not cut short."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import structlog

T = TypeVar("T")

_log = structlog.get_logger(__name__)


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end even when the caller is cancelled meanwhile; then let the cancellation go on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()  # marks it as seen; the cancellation is what the caller asked for
        raise cancelled
    return task.result()


@asynccontextmanager
async def repeating(
    name: str, work: Callable[[], Awaitable[object]], *, every_s: float
) -> AsyncIterator[None]:
    """Run `work` now and then every `every_s` seconds until the block is left.

    A failing run is logged under `name` and does not end the repetition.
    """
    task = asyncio.create_task(_repeat(name, work, every_s), name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _repeat(name: str, work: Callable[[], Awaitable[object]], every_s: float) -> None:
    while True:
        try:
            await work()
        except Exception:  # noqa: BLE001 - whatever it is, the next run may succeed
            _log.exception("background_work_failed", work=name)
        await asyncio.sleep(every_s)
