"""Cancellation of work whose client disconnected or lost its permission."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeAlias, TypeVar

from servicekit.erp.errors import ClientGone
from servicekit.tasks import finish

T = TypeVar("T")

Disconnected: TypeAlias = Callable[[], Awaitable[object]]
"""Returns when the client has disconnected."""

Check: TypeAlias = Callable[[], None]
"""Raises once work must stop; cheap, and called repeatedly on the event loop."""


async def cancel_on_disconnect(
    work: Coroutine[Any, Any, T],
    gone: Disconnected,
    *,
    unwanted: Callable[[T], Coroutine[Any, Any, None]] | None = None,
) -> T:
    """Await the work; cancel it and wait for its end when the client disconnects.

    Args:
        work: the work.
        gone: returns when the client has disconnected.
        unwanted: closes the result if a cancellation keeps it from the caller.

    Raises:
        ClientGone: the client disconnected before the work was done.
    """
    working: asyncio.Task[T] = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(gone())
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone  # noqa: TRY301 - every failure must close what was opened
        await finish(end_tasks(watching))
        return working.result()
    except BaseException:
        await finish(end_tasks(working, watching))
        if unwanted is not None and not working.cancelled() and working.exception() is None:
            await finish(unwanted(working.result()))
        raise
    finally:
        # The traceback of the task's error refers to this frame. A reference back to the task would keep both
        # alive.
        del working


CHECKED_EVERY_S: Final = 1.0
"""Interval of the checks of long work."""


async def while_allowed(work: Coroutine[Any, Any, T], check: Check) -> T:
    """Await the work; cancel it and wait for its end once the check raises.

    Args:
        work: the work.
        check: raises once the work must stop; its error is raised.
    """
    working: asyncio.Task[T] = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({working}, timeout=CHECKED_EVERY_S))[0]:
            check()
        return working.result()
    finally:
        await finish(end_tasks(working))
        del working  # as above: avoid a reference cycle


async def end_tasks(*tasks: "asyncio.Future[Any]") -> None:
    """Cancel tasks and wait for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
