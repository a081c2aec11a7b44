"""Giving work up when the client who asked for it has gone."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

from erp_gateway.web.upstream_errors import ClientGone
from servicekit.tasks import finish

T = TypeVar("T")

Gone: TypeAlias = Callable[[], Awaitable[object]]
"""Returns when the client who asked has gone away."""


async def unless_gone(work: Coroutine[Any, Any, T], gone: Gone) -> T:
    """Await the work; cancel it, and wait for its end, when the client goes away.

    Raises:
        ClientGone: the client left before the work was done.
    """
    working: asyncio.Task[T] = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(gone())
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone
        return working.result()
    finally:
        await finish(_end(working, watching))


async def _end(*tasks: "asyncio.Future[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
