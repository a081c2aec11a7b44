"""Work that ends although its caller is cancelled."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def finish(work: Awaitable[T]) -> T:
    """Run `work` to its end even if the caller is cancelled meanwhile, then propagate the cancellation."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    try:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            task.exception()  # retrieves the error, so that asyncio does not log it; the cancellation wins
            raise cancelled
        return task.result()
    finally:
        del task, cancelled  # breaks the reference cycle of error and frame
