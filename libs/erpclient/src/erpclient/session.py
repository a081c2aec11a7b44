"""Sessions: opened once for all, renewed by generation, closed with their own cookies."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from functools import partial
from http import HTTPStatus
from typing import Final, Generic, Protocol, TypeVar

import structlog
from attrs import evolve, field, frozen

from erpclient.clock import Clock
from erpclient.errors import ErpError, ErpLoginRejected, ErpRefused, Outcome, SessionEnded
from erpclient.http.transport import HttpReply
from erpclient.http.upstream import Upstream
from erpclient.http.wire import (
    LOGOUT_CALL,
    ROUTE_COOKIE,
    SESSION_COOKIE,
    find_cookie,
    is_gateway_page,
    login_call,
    read_error,
    read_login,
)
from erpclient.login_trouble import login_trouble
from erpclient.observer import Observer
from erpclient.refused_calls import Backoff, RefusedCalls
from erpclient.settings import Credentials

SHORT_PAUSE_S: Final = 1.0
"""Pause after a login that failed for a reason that passes."""
LOGOUT_TIMEOUT_S: Final = 5.0

UNPROVEN_CALLS: Final = 3
"""When so many calls were refused in new sessions and none succeeded, all wait as after a refused login."""

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")


class AnyTicket(Protocol):
    """The right to send a call in a session."""

    @property
    def generation(self) -> int:
        """Which login it comes from, counted from 1."""
        ...


_T = TypeVar("_T", bound=AnyTicket)
Login = Callable[[int], Awaitable[_T]]
"""Logs in and gives the ticket of this generation."""


class Session(Generic[_T]):
    """One session with a server, shared by all calls.

    Whoever needs it asks for a ticket; the first one logs in and the others wait for the same login. Whoever
    is told that the session is over says which ticket that was: only the first to say so for a generation
    causes a new login. After a refused login nobody logs in for a while, and all fail at once meanwhile. A
    call that is refused in a new session too has a pause of its own; others may still renew the session.

    Args:
        name: begins its log events: ``{name}_session_opened``, ``_session_lost``, ``_session_closed``,
            ``_login_failed``, ``_call_refused``, ``_logout_failed``.
        prepare_login: returns what logs in, or raises at once when that is known to fail.
        log_out: tells the server that the session is no longer needed.
        log_refusal: logs a refusal, with the seconds for which nobody logs in.
        forget: drops what nobody needs any more to log in, once it is closed.
        monotonic: seconds since some fixed moment.
        observer: told of every login.
    """

    def __init__(
        self,
        name: str,
        *,
        prepare_login: Callable[[], Login[_T]],
        log_out: Callable[[_T], Awaitable[object]],
        log_refusal: Callable[[ErpLoginRejected | ErpRefused, float], None],
        forget: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float],
        observer: Observer,
    ) -> None:
        self._name = name
        self._prepare_login = prepare_login
        self._log_out = log_out
        self._log_refusal = log_refusal
        self._forget_credentials = forget
        self._monotonic = monotonic
        self._observer = observer
        self._ticket: _T | None = None
        self._generation = 0
        self._login: asyncio.Task[_T | ErpError] | None = None
        self._failure: ErpError | None = None
        self._backoff = Backoff()
        self._unproven = 0
        self._retry_at = 0.0
        self._is_closed = False
        self.refused_calls = RefusedCalls(monotonic)

    def check(self) -> None:
        """Raise at once what :meth:`get_ticket` would raise without waiting.

        Raises:
            SessionEnded: it is over.
            ErpError: the last login failed, and the next one has to wait.
        """
        if self._ticket is None and self._login is None:
            self._begin()

    async def get_ticket(self) -> _T:
        """Give a ticket of the running session; log in first when there is none.

        Raises:
            ErpLoginRejected: the server refuses the credentials.
            SessionEnded: it is over.
            ErpError: the login failed otherwise. In all of them nothing of the caller's was done.
        """
        if self._ticket is not None:
            return self._ticket
        if self._login is None:
            self._login = asyncio.create_task(self._log_in(self._begin()), name=f"{self._name}-login")
        result = await asyncio.shield(self._login)
        if isinstance(result, ErpError):
            raise result.again()
        return result

    async def renew(self, refused: _T) -> _T:
        """Give a ticket of a later generation than the one whose session is over.

        Raises:
            ErpError: as :meth:`get_ticket`.
        """
        if self._ticket is not None and self._ticket.generation == refused.generation:
            self._check_pause()
            self._ticket = None
            _log.info(f"{self._name}_session_lost", generation=refused.generation)
        return await self.get_ticket()

    def refuse_call(
        self, fresh: _T, error: ErpLoginRejected | ErpRefused, *, resource: str, path: str
    ) -> None:
        """Take note that a call was refused in a session that had been renewed for it.

        The session stays, since others may do well with it, and only this call renews it no more for a while.
        When no call at all succeeds in new sessions, logging in does not help: then nobody does for a while.
        Until a call succeeds, the refusal counts as the failure of the login: the account may have lost its
        licence.

        Args:
            fresh: the new session.
            error: the refusal.
            resource: what the call was for; logged.
            path: where it was sent; not logged, since it may hold a key.
        """
        if self._ticket is None or fresh.generation != self._generation:
            return
        pause_s = self.refused_calls.add(resource, path)
        _log.warning(f"{self._name}_call_refused", resource=resource, erp_code=error.code, pause_s=pause_s)
        self._failure = error.again()
        self._unproven += 1
        if self._unproven >= UNPROVEN_CALLS:
            self._pause(error)

    def record_success(self) -> None:
        """Take note that the session works."""
        self._backoff = Backoff()
        self._unproven = 0
        self._failure = None
        self._retry_at = 0.0

    async def aclose(self) -> None:
        """Log out with the session's own cookies. Never logs in for that; waits for a login on its way."""
        self._close()
        if self._login is not None:
            await asyncio.wait({self._login})
        ticket, self._ticket = self._ticket, None
        if ticket is None:
            return
        try:
            await self._log_out(ticket)
        except ErpError as error:
            _log.warning(f"{self._name}_logout_failed", reason=str(error))
        else:
            _log.info(f"{self._name}_session_closed", generation=ticket.generation)

    async def abort(self) -> None:
        """Cancel a login on its way. Only for an end that can't wait: its session stays open there."""
        self._close()
        if self._login is not None:
            self._login.cancel()
            await asyncio.wait({self._login})

    def _close(self) -> None:
        self._is_closed = True
        self._forget_credentials()

    def _begin(self) -> Login[_T]:
        if self._is_closed:
            raise SessionEnded
        log_in = self._prepare_login()
        self._check_pause()
        return log_in

    async def _log_in(self, log_in: Login[_T]) -> _T | ErpError:
        started = self._monotonic()
        outcome = "failed"
        try:
            ticket = await log_in(self._generation + 1)
        except ErpLoginRejected as error:
            outcome = "rejected"
            self._pause(error)
            return error
        except ErpError as error:
            # Whatever became of the login, nothing was done of what its callers wanted.
            failure = error.again(outcome=Outcome.NOT_DONE)
            self._failure = failure
            self._retry_at = self._monotonic() + SHORT_PAUSE_S
            _log.warning(f"{self._name}_login_failed", cause=login_trouble(error).value, reason=str(error))
            return failure
        else:
            outcome = "ok"
            self._generation, self._ticket = ticket.generation, ticket
            _log.info(f"{self._name}_session_opened", generation=ticket.generation)
            return ticket
        finally:
            self._login = None
            self._observer.login_ended(outcome=outcome, duration_s=self._monotonic() - started)

    def _check_pause(self) -> None:
        if self._failure is not None and self._must_pause():
            raise self._failure.again()

    def _must_pause(self) -> bool:
        return self._monotonic() < self._retry_at

    def _pause(self, error: ErpLoginRejected | ErpRefused) -> None:
        pause_s = self._backoff.extend(self._monotonic())
        self._failure = error.again()
        self._retry_at = self._backoff.until
        self._log_refusal(error, pause_s)


class SessionState(Enum):
    """Where a session stands."""

    NONE = "none"
    """Not logged in: not yet, or the last session was lost."""
    LOGGING_IN = "logging_in"
    ACTIVE = "active"
    FAILING = "failing"
    """The last login failed and the next one has to wait."""
    ENDED = "ended"
    """Closed, or over and not renewable."""


@frozen
class Ticket:
    """The right to send one request in the session.

    Attributes:
        generation: which login it comes from, counted from 1.
        session: value of the session cookie.
        route: value of the balancer's cookie. Without it a balancer with several nodes sends a request to
            any, and writes may fail with -1116 (field notes of an integrator).
    """

    generation: int
    session: str = field(repr=False)
    route: str | None = field(default=None, repr=False)

    @property
    def cookie(self) -> str:
        """The ``Cookie`` header."""
        own = f"{SESSION_COOKIE}={self.session}"
        return own if self.route is None else f"{own}; {ROUTE_COOKIE}={self.route}"


class ErpSession(Session[Ticket]):
    """The session with the ERP.

    Args:
        upstream: sends the calls.
        credentials: who logs in.
        renewable: ``False`` forgets the credentials with the first login; a lost session is then over.
        login_timeout_s: longest time of one login.
        clock: time.
        observer: told of every login.
    """

    def __init__(
        self,
        upstream: Upstream,
        credentials: Credentials,
        *,
        renewable: bool,
        login_timeout_s: float,
        clock: Clock,
        observer: Observer,
    ) -> None:
        super().__init__(
            "erp",
            prepare_login=self._prepare,
            log_out=self._send_logout,
            log_refusal=_log_refusal,
            forget=self._forget,
            monotonic=clock.monotonic,
            observer=observer,
        )
        self._upstream = upstream
        self._credentials: Credentials | None = credentials
        self._renewable = renewable
        self._login_timeout_s = login_timeout_s

    @property
    def generation(self) -> int:
        """How many logins there have been that gave a session."""
        return self._generation

    @property
    def state(self) -> SessionState:
        """Where the session stands."""
        if self._ticket is not None:
            return SessionState.ACTIVE
        if self._login is not None:
            return SessionState.LOGGING_IN
        if self._is_closed or self._credentials is None:
            return SessionState.ENDED
        return SessionState.FAILING if self._must_pause() else SessionState.NONE

    @property
    def can_ask(self) -> bool:
        """Whether there is a session, or there could be one again."""
        return self._ticket is not None or (self._renewable and not self._is_closed)

    @property
    def ticket(self) -> Ticket | None:
        """A ticket of the running session; ``None`` when there is none."""
        return self._ticket

    @property
    def login_failure(self) -> ErpError | None:
        """Why the last login failed, until an answer proves that the session works."""
        return self._failure

    async def revive(self) -> Ticket:
        """Give a ticket as :meth:`get_ticket`, after trouble that passes without the pause.

        For a probe: whether the trouble has passed is what it wants to know. Refused credentials have their
        pause all the same.

        Raises:
            ErpError: as :meth:`get_ticket`.
        """
        if not isinstance(self._failure, ErpLoginRejected):
            self._retry_at = 0.0
        return await self.get_ticket()

    def record_refusal(
        self, fresh: Ticket, reply: HttpReply, *, resource: str, path: str
    ) -> ErpLoginRejected:
        """Take note of a 401 to a call in a session that was renewed for it, as :meth:`refuse_call`.

        Returns:
            The error to raise.
        """
        error = ErpLoginRejected(*read_error(reply))
        self.refuse_call(fresh, error, resource=resource, path=path)
        return error

    def record_answer(self, ticket: Ticket, reply: HttpReply) -> None:
        """Take note of an answer: its route is followed, and what the ERP itself answered proves the session.

        Not so a 401, and a page of the web server before the ERP, which never saw the session.
        """
        if self._ticket is None or ticket.generation != self._generation:
            return
        if reply.status != HTTPStatus.UNAUTHORIZED and not is_gateway_page(reply):
            self.record_success()
        if reply.set_cookies:
            route = find_cookie(reply.set_cookies, ROUTE_COOKIE)
            if route is not None:
                self._ticket = evolve(self._ticket, route=route or None)

    def _forget(self) -> None:
        self._credentials = None

    def _prepare(self) -> Login[Ticket]:
        if self._credentials is None:
            raise SessionEnded
        return partial(self._open, self._credentials)

    async def _open(self, credentials: Credentials, generation: int) -> Ticket:
        if not self._renewable:
            self._credentials = None
        reply = await self._upstream.send(login_call(credentials), timeout_s=self._login_timeout_s)
        grant = read_login(reply)
        return Ticket(generation, grant.session, grant.route)

    async def _send_logout(self, ticket: Ticket) -> None:
        await self._upstream.send(LOGOUT_CALL, timeout_s=LOGOUT_TIMEOUT_S, cookie=ticket.cookie)


def _log_refusal(error: ErpLoginRejected | ErpRefused, pause_s: float) -> None:
    cause = login_trouble(error).value
    _log.error("erp_login_rejected", cause=cause, erp_code=error.code, erp_text=error.text, pause_s=pause_s)
