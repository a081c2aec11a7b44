"""Asking whether the ERP can be reached: at most one probe in 5 seconds, however often it is asked."""

import asyncio
from typing import Final, Protocol

from attrs import frozen

from erpclient import ErpError, ErpTimeout, Ping, SessionState
from servicekit.clock import Clock

FRESH_FOR_S: Final = 5.0
"""How long an answer is good; also how long a probe may take."""

_SERVER_ERROR: Final = 500
_HOPEFUL: Final = (SessionState.NONE, SessionState.LOGGING_IN, SessionState.ACTIVE)


class Pingable(Protocol):
    """What the probe asks; `erpclient.ErpClient` answers it."""

    @property
    def session_state(self) -> SessionState:
        """Where the shared session stands."""
        ...

    async def ping(self, *, timeout_s: float = FRESH_FOR_S) -> Ping:
        """Ask the balancer whether it lives, outside the queue."""
        ...


@frozen(kw_only=True)
class ErpHealth:
    """What a probe found.

    Attributes:
        reachable: whether the ERP's web server answered, and without an error of its own.
        ping: `pong` from the balancer, `other` from a server without that page, or `failed`, `timeout`,
            `unreachable`.
        session: state of the shared session when the probe was made.
    """

    reachable: bool
    ping: str
    session: SessionState

    @property
    def usable(self) -> bool:
        """Whether requests can be expected to work: reachable, and the last login did not fail."""
        return self.reachable and self.session in _HOPEFUL


@frozen
class _Probe:
    """A probe that runs or has run, and when it was started."""

    started_at: float
    result: asyncio.Task[ErpHealth]


class ErpProbe:
    """Remembers the last probe and starts a new one when it is asked and the last is too old.

    Args:
        client: whom to ask.
        clock: time.
    """

    def __init__(self, client: Pingable, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._last: _Probe | None = None

    async def health(self) -> ErpHealth:
        """Return what the present or last probe found; all who ask meanwhile share it."""
        now = self._clock.monotonic()
        last = self._last
        if last is None or now - last.started_at >= FRESH_FOR_S:
            last = self._last = _Probe(now, asyncio.create_task(self._ask()))
        return await asyncio.shield(last.result)

    async def aclose(self) -> None:
        """Give up a probe that still runs."""
        if self._last is not None:
            self._last.result.cancel()
            await asyncio.gather(self._last.result, return_exceptions=True)

    async def _ask(self) -> ErpHealth:
        try:
            answer = await self._client.ping(timeout_s=FRESH_FOR_S)
        except ErpTimeout:
            reachable, word = False, "timeout"
        except ErpError:
            reachable, word = False, "unreachable"
        else:
            # A balancer whose nodes are down says so with 503; a server without the page says 404, and lives.
            reachable = answer.status < _SERVER_ERROR
            word = "failed" if not reachable else "pong" if answer.pong else "other"
        return ErpHealth(reachable=reachable, ping=word, session=self._client.session_state)
