"""Refuses requests at once while the ERP can't be reached."""

from collections.abc import Awaitable, Callable
from typing import Final

from erpclient.clock import Clock
from erpclient.errors import ErpTimeout, ErpUnreachable, Phase

RETRY_AFTER_S: Final = 1.0
"""An ERP that could not be reached is tried again at most this often."""


class Reachability:
    """Lets requests pass while the ERP can be reached, and refuses them at once while it can't.

    After a failed connection every request fails with the same error. Once the pause is over, one of them
    tries a connection first; the others go on failing until it is made.

    Args:
        probe: tries a connection; raises as :meth:`erpclient.http.transport.Transport.probe`.
        clock: time.
    """

    def __init__(self, probe: Callable[[], Awaitable[None]], clock: Clock) -> None:
        self._probe = probe
        self._clock = clock
        self._error: ErpUnreachable | ErpTimeout | None = None
        self._retry_at = 0.0
        self._probing = False

    def check(self) -> None:
        """Refuse at once what would be refused now.

        Raises:
            ErpUnreachable: the ERP could not be reached a moment ago.
            ErpTimeout: the same, when the connection timed out.
        """
        if self._error is not None and (self._probing or self._clock.monotonic() < self._retry_at):
            raise self._error.without_traceback()

    async def admit(self) -> None:
        """Let a request pass; try a connection first when the last one failed.

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
        """Take note of a request that failed; only one that found no connection counts."""
        if error.phase is Phase.CONNECT:
            self._error = error.without_traceback()
            self._retry_at = self._clock.monotonic() + RETRY_AFTER_S
