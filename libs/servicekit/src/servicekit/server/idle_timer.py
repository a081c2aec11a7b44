"""Ending connections that stay idle."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import final


@final
class IdleTimer:
    """Ends a connection that stays idle: one timer where hypercorn starts two tasks after each request.

    Args:
        idle: The timers that run; whoever ends the service ends these connections at once.
        timeout_s: How long a connection may be idle.
        close: Closes the connection.
    """

    def __init__(
        self, idle: set["IdleTimer"], timeout_s: float, close: Callable[[], Awaitable[None]]
    ) -> None:
        self._idle = idle
        self._timeout_s = timeout_s
        self._close = close
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    async def restart(self, *_: object) -> None:
        """Begin to wait, from now on."""
        await self.stop()
        self._timer = asyncio.get_running_loop().call_later(self._timeout_s, self.end)
        self._idle.add(self)

    async def stop(self) -> None:
        """The connection is busy, or closed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._idle.discard(self)

    def end(self) -> None:
        """Close the connection now."""
        self._closing = asyncio.ensure_future(self._close())
