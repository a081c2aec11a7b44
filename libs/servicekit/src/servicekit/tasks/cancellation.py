"""Work that ends although its caller is cancelled."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def finish(work: Awaitable[T]) -> T:
    """Run `work` to its end even when the caller is cancelled meanwhile; then let the cancellation go on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    try:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            task.exception()  # marks it as seen; the cancellation is what the caller asked for
            raise cancelled
        return task.result()
    finally:
        del task, cancelled  # what is raised holds this frame, which would hold it, and all would stay
