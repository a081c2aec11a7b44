"""Giving work up when the client has gone, or may not have it any more."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeAlias, TypeVar

from servicekit.erp.errors import ClientGone
from servicekit.tasks import finish

T = TypeVar("T")

Disconnected: TypeAlias = Callable[[], Awaitable[object]]
"""Returns when the client who asked has gone away."""

Check: TypeAlias = Callable[[], None]
"""Raises once work may not go on; cheap, and called again and again on the event loop."""


async def cancel_on_disconnect(
    work: Coroutine[Any, Any, T],
    gone: Disconnected,
    *,
    unwanted: Callable[[T], Coroutine[Any, Any, None]] | None = None,
) -> T:
    """Await the work; cancel it, and wait for its end, when the client goes away.

    Args:
        work: what is done.
        gone: returns when the client has gone.
        unwanted: closes what the work returned if a cancellation keeps it from the caller.

    Raises:
        ClientGone: the client left before the work was done.
    """
    working: asyncio.Task[T] = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(gone())
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone  # noqa: TRY301 - what was opened is closed on every road but the good one
        await finish(end_tasks(watching))
        return working.result()
    except BaseException:
        await finish(end_tasks(working, watching))
        if unwanted is not None and not working.cancelled() and working.exception() is None:
            await finish(unwanted(working.result()))
        raise
    finally:
        del working  # its error holds this frame, which would hold it, and all would stay


CHECKED_EVERY_S: Final = 1.0
"""How often work that lasts is checked."""


async def while_allowed(work: Coroutine[Any, Any, T], check: Check) -> T:
    """Await the work; cancel it, and wait for its end, once it may not go on.

    Args:
        work: what is done.
        check: raises once the person may not have it any more; that comes out.
    """
    working: asyncio.Task[T] = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({working}, timeout=CHECKED_EVERY_S))[0]:
            check()
        return working.result()
    finally:
        await finish(end_tasks(working))
        del working  # as above


async def end_tasks(*tasks: "asyncio.Future[Any]") -> None:
    """Cancel tasks and wait for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
