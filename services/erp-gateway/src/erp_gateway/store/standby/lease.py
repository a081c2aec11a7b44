"""Whether this process may send to the ERP: what is known of its lock, and since when.

A lock in a database may go to another process without its holder noticing: the connection was cut, the
holder was frozen. So a holder sends only for `trust_s` after it asked and heard that it has the lock, and
whoever gets a lock that nobody gave back waits `pause_s`, which is longer, before it sends anything. Two
processes never send at the same time then, whatever happened to the lock's connections; what can't be
called back is a call that was on its way.

A server that is down gives the lock to nobody, so its holder goes on; but only without a gap. Who has not
asked for `pause_s` can't know that the server was down all the time: another one may have got the lock
meanwhile, and goes on with as good a reason.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import Enum
from typing import TypeAlias

from attrs import evolve, field, frozen

from erpclient import ErpSettings, HttpReply, HttpRequest, QueueClosed, Transport, create_transport


class LeaseState(Enum):
    """What this process is; the value is how `GET /ready` tells it."""

    STANDBY = "standby"
    SERVING = "serving"
    LOST = "lost"


@frozen(kw_only=True)
class TenureRules:
    """Seconds that decide.

    Attributes:
        heartbeat_s: between two questions after the lock.
        trust_s: how long after such a question, once answered, calls are sent without another one.
        pause_s: how long a process waits that got a lock which nobody gave back.
        grace_s: how long the server may be away before the lock counts as lost.
    """

    heartbeat_s: float = 0.5
    trust_s: float = 1.0
    pause_s: float = 1.25
    grace_s: float = 30.0

    def __attrs_post_init__(self) -> None:
        """Refuse seconds with which two processes could send."""
        if not self.heartbeat_s < self.trust_s < self.pause_s:
            raise ValueError("heartbeat_s < trust_s < pause_s must hold")


@frozen(kw_only=True)
class Tenure:
    """What is known; each answer gives a new value. Times are monotonic seconds that count a machine's sleep.

    Attributes:
        rules: the seconds that decide.
        standing: what this process is.
        safe_from_s: latest moment at which surely nobody else had the lock.
        heard_at_s: when the server last said that it is ours.
    """

    rules: TenureRules = field(factory=TenureRules)
    standing: LeaseState = LeaseState.STANDBY
    safe_from_s: float = 0.0
    heard_at_s: float = 0.0

    def taken(self, asked_at_s: float) -> "Tenure":
        """The lock was got, by a question that was asked then."""
        return evolve(self, standing=LeaseState.SERVING, safe_from_s=asked_at_s, heard_at_s=asked_at_s)

    def confirmed(self, asked_at_s: float) -> "Tenure":
        """The server said that it is ours, to a question that was asked then."""
        if self.standing is not LeaseState.SERVING:
            return self
        return evolve(
            self,
            safe_from_s=max(self.safe_from_s, asked_at_s),
            heard_at_s=max(self.heard_at_s, asked_at_s),
        )

    def denied(self) -> "Tenure":
        """The server said that it is not ours."""
        return evolve(self, standing=LeaseState.LOST) if self.standing is LeaseState.SERVING else self

    def away(self, asked_at_s: float, now_s: float, *, is_down: bool) -> "Tenure":
        """The lock could not be asked for: the server is down, or gives no answer."""
        if self.standing is not LeaseState.SERVING:
            return self
        if now_s - self.heard_at_s >= self.rules.grace_s:
            return evolve(self, standing=LeaseState.LOST)
        is_sure = is_down and asked_at_s - self.safe_from_s < self.rules.pause_s
        return evolve(self, safe_from_s=max(self.safe_from_s, asked_at_s)) if is_sure else self

    def may_send(self, now_s: float) -> bool:
        """Tell whether a call may begin now; if not, ask first."""
        return self.standing is LeaseState.SERVING and now_s - self.safe_from_s < self.rules.trust_s


Permit: TypeAlias = Callable[[], Awaitable[bool]]
"""Tells whether a request to the ERP may begin now."""


class GuardedTransport:
    """Asks for leave before each request, logins, probes and the logout among them.

    Args:
        inner: sends; opened and closed by its owner.
        permit: tells whether a request may begin now.
    """

    def __init__(self, inner: Transport, permit: Permit) -> None:
        self._inner = inner
        self._permit = permit

    async def send(self, request: HttpRequest) -> HttpReply:
        """See `Transport.send`.

        Raises:
            QueueClosed: this process may not send; nothing was.
        """
        if not await self._permit():
            raise QueueClosed
        return await self._inner.send(request)

    async def probe(self, url: str, timeout_s: float) -> None:
        """See `Transport.probe`; nothing is sent."""
        await self._inner.probe(url, timeout_s)

    async def aclose(self) -> None:
        """Leave the inner transport to its owner."""


@asynccontextmanager
async def open_guarded_transport(settings: ErpSettings, permit: Permit) -> AsyncIterator[GuardedTransport]:
    """Open a transport as the settings ask for, guarded, and close it on leaving.

    Raises:
        OSError: the settings' `ca_file` can't be read, or is no PEM file.
    """
    inner = create_transport(settings)
    await inner.open()
    try:
        yield GuardedTransport(inner, permit)
    finally:
        await inner.aclose()
