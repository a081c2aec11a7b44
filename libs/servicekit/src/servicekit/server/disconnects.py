"""Requests whose client closed the connection."""

import asyncio
from collections.abc import Callable
from typing import Final, final

from starlette.types import Scope

from servicekit.request_log import CLIENT_LEFT

STAYS_S: Final = 2.0
"""Time for which a request continues after its client closed the connection: a client that closed only its
side may still read.
"""

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


@final
class ClientDisconnects:
    """Ends the requests of a connection after its client has closed it.

    A request that may change data is never cancelled; the connection ends after it. Work shared by several
    requests continues, because it runs in a separate task.

    Args:
        leaving: set that contains this object while its client has gone and a request still runs.
        end: ends the connection and its requests.
    """

    def __init__(self, leaving: set["ClientDisconnects"], end: Callable[[], object]) -> None:
        self._leaving = leaving
        self._end = end
        self._running: list[Scope] = []
        self._has_left = False
        self._is_given_up = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, scope: Scope) -> None:
        """A request begins."""
        self._running.append(scope)
        if self._has_left:
            self._wait()

    def finish(self, scope: Scope) -> None:
        """A request has ended."""
        self._running.remove(scope)
        if self._is_given_up:
            self.give_up()
        elif not self._running:
            self._stop_waiting()

    def client_left(self) -> None:
        """The client has closed the connection, or its side of it."""
        self._has_left = True
        if self._running:
            self._wait()

    def give_up(self) -> None:
        """End the connection now, or as soon as only reading requests run."""
        self._stop_waiting()
        self._is_given_up = True
        if all(scope["method"] in _READING for scope in self._running):
            for scope in self._running:
                scope[CLIENT_LEFT] = True
            self._end()

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(STAYS_S, self.give_up)
            self._leaving.add(self)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._leaving.discard(self)
