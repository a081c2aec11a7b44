"""Refuses requests at once while the ERP can't be reached."""

from collections.abc import Awaitable, Callable
from typing import Final

from erpclient.clock import Clock
from erpclient.errors import ErpTimeout, ErpUnreachable, Phase

RETRY_AFTER_S: Final = 1.0
"""Shortest time between two connection attempts to an unreachable ERP."""


class Reachability:
    """Admits requests while the ERP is reachable, and fails them at once while it is not.

    After a failed connection every request fails with the same error. After the pause, one request tries a
    connection first, and the others keep failing until it succeeds.

    Args:
        probe: tries a connection, like :meth:`erpclient.http.transport.Transport.probe`.
        clock: time.
    """

    def __init__(self, probe: Callable[[], Awaitable[None]], clock: Clock) -> None:
        self._probe = probe
        self._clock = clock
        self._error: ErpUnreachable | ErpTimeout | None = None
        self._retry_at = 0.0
        self._probing = False

    def check(self) -> None:
        """Raise what :meth:`admit` would raise without trying a connection.

        Raises:
            ErpUnreachable: the ERP could not be reached a moment ago.
            ErpTimeout: the same, when the connection timed out.
        """
        if self._error is not None and (self._probing or self._clock.monotonic() < self._retry_at):
            raise self._error.without_traceback()

    async def admit(self) -> None:
        """Admit a request; try a connection first if the last one failed.

        Raises:
            ErpUnreachable: the ERP can't be reached.
            ErpTimeout: the same, when the connection timed out.
        """
        self.check()
        if self._error is None:
            return
        self._probing = True
        try:
            await self._probe()
        except (ErpUnreachable, ErpTimeout) as error:
            self.record(error)
            raise
        finally:
            self._probing = False
        self._error = None

    def record(self, error: ErpUnreachable | ErpTimeout) -> None:
        """Record a failed request; only failures to connect count."""
        if error.phase is Phase.CONNECT:
            self._error = error.without_traceback()
            self._retry_at = self._clock.monotonic() + RETRY_AFTER_S
