"""The session with the report gateway: one login at a time, renewed by generation, closed at the end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from attrs import field, frozen

from erp_gateway.report_gateway.disclosure import Disclosure
from erp_gateway.report_gateway.wire import LOGIN, LOGOUT, GatewayLogin, read_login
from erpclient import ErpError, ErpLoginRejected, HttpReply, Observer
from servicekit.clock import Clock

FIRST_PAUSE_S: Final = 5.0
"""Pause after a refused login; each further refusal doubles it."""
LONGEST_PAUSE_S: Final = 300.0
SHORT_PAUSE_S: Final = 1.0
"""Pause after a login that failed for a reason that passes."""
LOGIN_TIMEOUT_S: Final = 30.0
LOGOUT_TIMEOUT_S: Final = 5.0

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger(__name__)


@frozen
class Ticket:
    """The right to send a call in the session.

    Attributes:
        generation: which login it comes from, counted from 1.
        cookie: the `Cookie` header.
    """

    generation: int
    cookie: str = field(repr=False)


Send = Callable[[str, bytes | None, str | None, float], Awaitable[HttpReply]]
"""POSTs to an address below the gateway's with a body, a `Cookie` header and a time limit in seconds."""


class GatewaySession:
    """One session, shared by all calls.

    Whoever needs it asks for a ticket; the first one logs in and the others wait for the same login. Whoever
    is told that the session is over says which ticket that was: only the first to say so for a generation
    causes a new login. After a refusal nobody logs in for a while, and all fail at once meanwhile.

    The lifetime that a login tells is not used: real sessions live longer than it says.

    Args:
        send: brings the calls to the gateway.
        login: who logs in.
        disclosure: what of a refusal's text may be logged.
        clock: time.
        observer: told of every login.
    """

    def __init__(
        self, send: Send, login: GatewayLogin, disclosure: Disclosure, *, clock: Clock, observer: Observer
    ) -> None:
        self._send = send
        self._login = login
        self._disclosure = disclosure
        self._clock = clock
        self._observer = observer
        self._ticket: Ticket | None = None
        self._generation = 0
        self._running: asyncio.Task[Ticket | ErpError] | None = None
        self._failure: ErpError | None = None
        self._refusals = 0
        self._retry_at = 0.0

    def check(self) -> None:
        """Raise at once what `get_ticket` would raise without asking the gateway.

        Raises:
            ErpError: the last login failed, and the next one has to wait.
        """
        if self._ticket is None and self._running is None:
            self._check_pause()

    async def get_ticket(self) -> Ticket:
        """Give a ticket of the running session; log in first when there is none.

        Raises:
            ErpLoginRejected: the gateway refuses the credentials.
            ErpError: the login failed otherwise.
        """
        if self._ticket is not None:
            return self._ticket
        if self._running is None:
            self._check_pause()
            self._running = asyncio.create_task(self._log_in(), name="report-gateway-login")
        result = await asyncio.shield(self._running)
        if isinstance(result, ErpError):
            raise result.again()
        return result

    async def renew(self, refused: Ticket) -> Ticket:
        """Give a ticket of a later generation than the one whose session is over.

        Raises:
            ErpError: as `get_ticket`.
        """
        if self._ticket is not None and self._ticket.generation == refused.generation:
            self._check_pause()
            self._ticket = None
            _log.info("report_gateway_session_lost", generation=refused.generation)
        return await self.get_ticket()

    def record_refusal(self, fresh: Ticket, error: ErpError) -> None:
        """Take note that a brand-new session was refused, too: logging in does not help just now.

        The session stays, since others may do well with it, but until the pause is over nobody renews it.
        """
        if fresh.generation == self._generation:
            self._pause(error)

    def record_answer(self) -> None:
        """Take note that a session was accepted."""
        self._failure = None
        self._refusals = 0

    async def aclose(self) -> None:
        """Log out with the session's own cookies; a real gateway may answer 400, and ends it."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        ticket, self._ticket = self._ticket, None
        if ticket is None:
            return
        try:
            await self._send(LOGOUT, b"", ticket.cookie, LOGOUT_TIMEOUT_S)
        except ErpError as error:
            _log.warning("report_gateway_logout_failed", reason=str(error))
        else:
            _log.info("report_gateway_session_closed", generation=ticket.generation)

    async def _log_in(self) -> Ticket | ErpError:
        started = self._clock.monotonic()
        outcome = "failed"
        try:
            cookie = read_login(await self._send(LOGIN, self._login.body(), None, LOGIN_TIMEOUT_S))
        except ErpLoginRejected as refused:
            outcome = "rejected"
            error = ErpLoginRejected(
                self._disclosure.for_log(str(refused.code)), self._disclosure.for_log(refused.text)
            )
            self._pause(error)
            return error
        except ErpError as failed:
            self._failure = failed.again()
            self._retry_at = self._clock.monotonic() + SHORT_PAUSE_S
            _log.warning("report_gateway_login_failed", reason=str(failed))
            return failed
        else:
            outcome = "ok"
            self._generation += 1
            self._ticket = Ticket(self._generation, cookie)
            _log.info("report_gateway_session_opened", generation=self._generation)
            return self._ticket
        finally:
            self._running = None
            self._observer.login_ended(outcome=outcome, duration_s=self._clock.monotonic() - started)

    def _check_pause(self) -> None:
        if self._failure is not None and self._clock.monotonic() < self._retry_at:
            raise self._failure.again()

    def _pause(self, error: ErpError) -> None:
        pause_s = min(FIRST_PAUSE_S * 2 ** min(self._refusals, 10), LONGEST_PAUSE_S)
        self._refusals += 1
        self._failure = error
        self._retry_at = self._clock.monotonic() + pause_s
        _log.error("report_gateway_refused", reason=str(error), pause_s=pause_s)
