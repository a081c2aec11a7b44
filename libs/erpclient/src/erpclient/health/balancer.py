"""Pings of the balancer before the ERP: one at a time, shared by all callers for a few seconds."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from http import HTTPStatus
from typing import Final

from attrs import frozen

from erpclient.errors import ErpError, ErpTimeout, ErpUnreachable
from erpclient.http.replies import Ping

PING_FRESH_S: Final = 5.0
"""Seconds for which the result of a ping is reused; also its timeout."""


class Balancer(Enum):
    """Result of a ping."""

    PONG = "pong"
    """The Service Layer's balancer is up."""
    OTHER = "other"
    """Another server replied; it does not have that page."""
    FAILED = "failed"
    """It answered 5xx, like a balancer without nodes with 503 (SAP manual 1.29, ping pong API)."""
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"

    @property
    def is_alive(self) -> bool:
        """True if a server answered and did not report itself down."""
        return self in (Balancer.PONG, Balancer.OTHER)


@frozen
class _SentPing:
    """A ping in flight or answered, and when it was sent."""

    sent_at: float
    result: asyncio.Task[Balancer]


class BalancerWatch:
    """Caches the last ping, and sends a new one when that is too old.

    Args:
        ping: sends a ping with a timeout in seconds.
        monotonic: monotonic clock in seconds.
    """

    def __init__(self, ping: Callable[[float], Awaitable[Ping]], monotonic: Callable[[], float]) -> None:
        self._ping = ping
        self._monotonic = monotonic
        self._last: _SentPing | None = None
        self._network_code: str | None = None

    @property
    def network_code(self) -> str | None:
        """The ``network_code`` of the last ping's error; ``None`` if it reached a server."""
        return self._network_code

    async def check(self) -> Balancer:
        """Return the result of the current ping; concurrent callers share it."""
        now = self._monotonic()
        last = self._last
        if last is None or now - last.sent_at >= PING_FRESH_S:
            last = self._last = _SentPing(now, asyncio.create_task(self._send(), name="erp-ping"))
        return await asyncio.shield(last.result)

    async def aclose(self) -> None:
        """Cancel a ping in flight."""
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
