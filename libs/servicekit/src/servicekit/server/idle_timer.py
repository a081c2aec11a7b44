"""Ending connections that stay idle."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, final

from attrs import define, field

LATE_S: Final = 0.5
"""Idle timeout of a connection that opens or continues during the shutdown."""


@final
@define(eq=False, repr=False)
class IdleTimer:
    """Closes an idle connection, with one timer instead of hypercorn's two tasks after each request.

    Args:
        idle: the running timers; the shutdown closes their connections at once.
        timeout_s: idle timeout.
        close: closes the connection.
        is_ending: returns whether the service is shutting down. Connections may still open then: accepted
            just before, or after a slow TLS handshake.
    """

    _idle: set["IdleTimer"]
    _timeout_s: float
    _close: Callable[[], Awaitable[None]]
    _is_ending: Callable[[], bool]
    _timer: asyncio.TimerHandle | None = field(init=False, default=None)
    _closing: asyncio.Task[None] | None = field(init=False, default=None)

    async def restart(self, *_: object) -> None:
        """Restart the timer."""
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
