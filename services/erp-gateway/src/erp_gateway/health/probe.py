"""Whether the ERP can be used: what is known already, and a ping of its balancer at most once in 5 s."""

import asyncio
from enum import Enum
from typing import Final, Protocol

from attrs import frozen

from erpclient import Condition, ErpError, ErpLoginRejected, ErpTimeout, Ping, SessionState
from servicekit.clock import Clock

FRESH_FOR_S: Final = 5.0
"""How long a ping is good; also how long it may take."""

_SERVER_ERROR: Final = 500


class Reason(Enum):
    """Why the ERP can't be used."""

    UNWELL = "unwell"
    """Several calls and a probe got no answer."""
    UNREACHABLE = "unreachable"
    """There is no connection, its balancer says that it is down, or a login failed a second ago."""
    LOGIN_REFUSED = "login_refused"
    """The ERP does not take the service account."""


class Asked(Protocol):
    """What is asked; `erpclient.ErpClient` answers it."""

    @property
    def condition(self) -> Condition:
        """Whether the ERP gives answers."""
        ...

    @property
    def session_state(self) -> SessionState:
        """Where the shared session stands."""
        ...

    @property
    def login_failure(self) -> ErpError | None:
        """Why the last login failed, until an answer proves that the session works."""
        ...

    async def ping(self, *, timeout_s: float = FRESH_FOR_S) -> Ping:
        """Ask the balancer whether it lives, outside the queue."""
        ...


@frozen(kw_only=True)
class ErpHealth:
    """What is known of the ERP.

    Attributes:
        reason: why it can't be used, None when it can.
        ping: `pong` from the balancer, `other` from a server without that page, `failed`, `timeout`,
            `unreachable`; `not_asked` where the answer was clear without.
        session: state of the shared session.
    """

    reason: Reason | None
    ping: str
    session: SessionState


@frozen
class _Ping:
    """A ping that runs or has come back, and when it was sent."""

    sent_at: float
    word: asyncio.Task[str]


class ErpProbe:
    """Joins what the shared client knows with a ping, which all who ask within a few seconds share.

    Args:
        client: whom to ask.
        clock: time.
    """

    def __init__(self, client: Asked, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._last: _Ping | None = None

    async def health(self) -> ErpHealth:
        """Tell whether the ERP can be used; at once where its answers failed to come, without a ping."""
        client = self._client
        word = "not_asked" if client.condition is Condition.UNWELL else await self._ping()
        return ErpHealth(reason=self._find_reason(word), ping=word, session=client.session_state)

    async def aclose(self) -> None:
        """Give up a ping that is under way."""
        if self._last is not None:
            self._last.word.cancel()
            await asyncio.gather(self._last.word, return_exceptions=True)

    def _find_reason(self, word: str) -> Reason | None:
        client = self._client
        if client.condition is Condition.UNWELL:
            return Reason.UNWELL
        if isinstance(client.login_failure, ErpLoginRejected):
            return Reason.LOGIN_REFUSED
        usable = word in ("pong", "other") and client.session_state is not SessionState.FAILING
        return None if usable else Reason.UNREACHABLE

    async def _ping(self) -> str:
        now = self._clock.monotonic()
        last = self._last
        if last is None or now - last.sent_at >= FRESH_FOR_S:
            last = self._last = _Ping(now, asyncio.create_task(self._ask()))
        return await asyncio.shield(last.word)

    async def _ask(self) -> str:
        try:
            answer = await self._client.ping(timeout_s=FRESH_FOR_S)
        except ErpTimeout:
            return "timeout"
        except ErpError:
            return "unreachable"
        # A balancer whose nodes are down says so with 503; a server without the page says 404, and lives.
        if answer.status >= _SERVER_ERROR:
            return "failed"
        return "pong" if answer.pong else "other"
