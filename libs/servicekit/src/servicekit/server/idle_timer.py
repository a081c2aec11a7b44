"""Ending connections that stay idle."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, final

from attrs import define, field

LATE_S: Final = 0.5
"""How long a connection may be idle that comes about, or goes on, while the service ends."""


@final
@define(eq=False, repr=False)
class IdleTimer:
    """Ends a connection that stays idle: one timer where hypercorn starts two tasks after each request.

    Args:
        idle: The timers that run; whoever ends the service ends these connections at once.
        timeout_s: How long a connection may be idle.
        close: Closes the connection.
        is_ending: Tells whether the service ends. A connection may come about even then: one that was
            accepted just before, or whose TLS handshake took until now.
    """

    _idle: set["IdleTimer"]
    _timeout_s: float
    _close: Callable[[], Awaitable[None]]
    _is_ending: Callable[[], bool]
    _timer: asyncio.TimerHandle | None = field(init=False, default=None)
    _closing: asyncio.Task[None] | None = field(init=False, default=None)

    async def restart(self, *_: object) -> None:
        """Begin to wait, from now on."""
        await self.stop()
        timeout_s = min(LATE_S, self._timeout_s) if self._is_ending() else self._timeout_s
        self._timer = asyncio.get_running_loop().call_later(timeout_s, self.end)
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
