"""Looks at the balancer before the ERP: one ping at a time, shared by all who ask within a few seconds."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from http import HTTPStatus
from typing import Final

from attrs import frozen

from erpclient.errors import ErpError, ErpTimeout, ErpUnreachable
from erpclient.http.replies import Ping

PING_FRESH_S: Final = 5.0
"""How long a ping is good; also how long it may take."""


class Balancer(Enum):
    """What came of a ping."""

    PONG = "pong"
    """The Service Layer's balancer lives."""
    OTHER = "other"
    """A server without that page answered: something else stands before the ERP."""
    FAILED = "failed"
    """It said that it is down, as a balancer without nodes does with 503 (SAP manual 1.29, ping pong API)."""
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"

    @property
    def is_alive(self) -> bool:
        """Whether there is a server that does not say it is down."""
        return self in (Balancer.PONG, Balancer.OTHER)


@frozen
class _SentPing:
    """A ping that is under way or has come back, and when it was sent."""

    sent_at: float
    result: asyncio.Task[Balancer]


class BalancerWatch:
    """Remembers the last ping and sends a new one when it is asked and the last is too old.

    Args:
        ping: sends one, in at most so many seconds.
        monotonic: seconds that never go back.
    """

    def __init__(self, ping: Callable[[float], Awaitable[Ping]], monotonic: Callable[[], float]) -> None:
        self._ping = ping
        self._monotonic = monotonic
        self._last: _SentPing | None = None
        self._network_code: str | None = None

    @property
    def network_code(self) -> str | None:
        """Why the last ping found no connection, as the errors' ``network_code`` says it; else ``None``."""
        return self._network_code

    async def check(self) -> Balancer:
        """Return what came of the present or last ping; all who ask meanwhile share it."""
        now = self._monotonic()
        last = self._last
        if last is None or now - last.sent_at >= PING_FRESH_S:
            last = self._last = _SentPing(now, asyncio.create_task(self._send(), name="erp-ping"))
        return await asyncio.shield(last.result)

    async def aclose(self) -> None:
        """Give up a ping that is under way."""
        if self._last is not None:
            self._last.result.cancel()
            await asyncio.wait({self._last.result})

    async def _send(self) -> Balancer:
        try:
            answer = await self._ping(PING_FRESH_S)
        except ErpError as error:
            self._network_code = (
                error.network_code if isinstance(error, ErpTimeout | ErpUnreachable) else None
            )
            return Balancer.TIMEOUT if isinstance(error, ErpTimeout) else Balancer.UNREACHABLE
        self._network_code = None
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return Balancer.FAILED
        return Balancer.PONG if answer.pong else Balancer.OTHER
