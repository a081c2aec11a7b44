"""Lease of the process that may send requests to the ERP.

A lock in a database may go to another process without its holder noticing: the connection was cut, or the
holder was frozen. A holder therefore sends requests only for `trust_s` seconds after each confirmed check of
the lock. A process that acquires a lock which was not released waits `pause_s`, which is longer, before its
first request. So two processes never send at the same time. Only a request already in flight cannot be
recalled.

A server that is down gives the lock to no process, so the holder continues, but only without a gap. After
`pause_s` without a check, another process may have acquired the lock in the meantime.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import Enum
from typing import TypeAlias

from attrs import evolve, field, frozen

from erpclient import ErpSettings, HttpReply, HttpRequest, QueueClosed, Transport, create_transport


class LeaseState(Enum):
    """State of this process; the value is that of `GET /ready`."""

    STANDBY = "standby"
    SERVING = "serving"
    LOST = "lost"


@frozen(kw_only=True)
class TenureRules:
    """Time limits of the lease, in seconds.

    Attributes:
        heartbeat_s: interval between checks of the lock.
        trust_s: time after a confirmed check in which requests are sent without another one.
        pause_s: wait of a process that acquired a lock which was not released.
        grace_s: longest absence of the server before the lock counts as lost.
    """

    heartbeat_s: float = 0.5
    trust_s: float = 1.0
    pause_s: float = 1.25
    grace_s: float = 30.0

    def __attrs_post_init__(self) -> None:
        """Reject limits that would let two processes send."""
        if not self.heartbeat_s < self.trust_s < self.pause_s:
            raise ValueError("heartbeat_s < trust_s < pause_s must hold")


@frozen(kw_only=True)
class Tenure:
    """Current knowledge about the lock; each reply gives a new value. Times are monotonic seconds.

    Attributes:
        rules: time limits.
        state: state of this process.
        exclusive_at_s: latest time at which no other process can have had the lock.
        confirmed_at_s: time of the last check that the server confirmed.
    """

    rules: TenureRules = field(factory=TenureRules)
    state: LeaseState = LeaseState.STANDBY
    exclusive_at_s: float = 0.0
    confirmed_at_s: float = 0.0

    def acquired(self, requested_at_s: float) -> "Tenure":
        """Return the value after the lock was acquired, by a request of that time."""
        return evolve(
            self, state=LeaseState.SERVING, exclusive_at_s=requested_at_s, confirmed_at_s=requested_at_s
        )

    def confirmed(self, requested_at_s: float) -> "Tenure":
        """Return the value after the server confirmed the lock, to a request of that time."""
        if self.state is not LeaseState.SERVING:
            return self
        return evolve(
            self,
            exclusive_at_s=max(self.exclusive_at_s, requested_at_s),
            confirmed_at_s=max(self.confirmed_at_s, requested_at_s),
        )

    def denied(self) -> "Tenure":
        """Return the value after the server denied that the lock is ours."""
        return evolve(self, state=LeaseState.LOST) if self.state is LeaseState.SERVING else self

    def unreachable(self, requested_at_s: float, now_s: float, *, is_down: bool) -> "Tenure":
        """Return the value after a check without a reply."""
        if self.state is not LeaseState.SERVING:
            return self
        if now_s - self.confirmed_at_s >= self.rules.grace_s:
            return evolve(self, state=LeaseState.LOST)
        is_exclusive = is_down and requested_at_s - self.exclusive_at_s < self.rules.pause_s
        return evolve(self, exclusive_at_s=max(self.exclusive_at_s, requested_at_s)) if is_exclusive else self

    def may_send(self, now_s: float) -> bool:
        """Return True if a request may be sent now; otherwise check the lock first."""
        return self.state is LeaseState.SERVING and now_s - self.exclusive_at_s < self.rules.trust_s


MaySend: TypeAlias = Callable[[], Awaitable[bool]]
"""Returns True if a request to the ERP may be sent now."""


class GuardedTransport:
    """Checks whether it may send before each request, including logins, probes and the logout.

    Args:
        inner: sends requests; opened and closed by its owner.
        may_send: returns True if a request may be sent now.
    """

    def __init__(self, inner: Transport, may_send: MaySend) -> None:
        self._inner = inner
        self._may_send = may_send

    async def send(self, request: HttpRequest) -> HttpReply:
        """See `Transport.send`.

        Raises:
            QueueClosed: this process may not send; the request was not sent.
        """
        if not await self._may_send():
            raise QueueClosed
        return await self._inner.send(request)

    async def probe(self, url: str, timeout_s: float) -> None:
        """See `Transport.probe`; a probe sends no request, so it needs no check."""
        await self._inner.probe(url, timeout_s)

    async def aclose(self) -> None:
        """Do nothing: the inner transport belongs to its owner."""


@asynccontextmanager
async def open_guarded_transport(settings: ErpSettings, may_send: MaySend) -> AsyncIterator[GuardedTransport]:
    """Open a guarded transport for these settings, and close it on leaving.

    Raises:
        OSError: the `ca_file` of the settings can't be read, or is not a PEM file.
    """
    inner = create_transport(settings)
    await inner.open()
    try:
        yield GuardedTransport(inner, may_send)
    finally:
        await inner.aclose()
