"""The session with the Service Layer."""

from enum import Enum
from functools import partial
from http import HTTPStatus
from typing import Final

import structlog
from attrs import evolve, field, frozen

from erpclient.clock import Clock
from erpclient.errors import ErpError, ErpLoginRejected, ErpRefused, SessionEnded
from erpclient.http.cookies import ROUTE_COOKIE, SESSION_COOKIE, find_cookie
from erpclient.http.error_replies import is_gateway_page, read_error
from erpclient.http.login import LOGOUT_CALL, login_call, read_login
from erpclient.http.messages import HttpReply
from erpclient.http.upstream import Upstream
from erpclient.login_trouble import login_trouble
from erpclient.observer import Observer
from erpclient.session import Login, Session
from erpclient.settings import Credentials

LOGOUT_TIMEOUT_S: Final = 5.0
_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")


class SessionState(Enum):
    """State of a session."""

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
    """Permission to send a request in the session.

    Attributes:
        generation: number of the login that it comes from, from 1.
        session: value of the session cookie.
        route: value of the balancer's cookie. Without it a balancer with several nodes sends a request to
            any, and writes may fail with -1116 (field notes of an integrator).
        cookie: the ``Cookie`` header.
    """

    generation: int
    session: str = field(repr=False)
    route: str | None = field(default=None, repr=False)
    cookie: str = field(init=False, repr=False)

    @cookie.default
    def _create_cookie(self) -> str:
        own = f"{SESSION_COOKIE}={self.session}"
        return own if self.route is None else f"{own}; {ROUTE_COOKIE}={self.route}"


class ErpSession(Session[Ticket]):
    """The session with the ERP.

    Args:
        upstream: sends the calls.
        credentials: user of the ERP and password.
        renewable: ``False`` forgets the credentials with the first login; a lost session is then over.
        login_timeout_s: longest time of one login.
        clock: time.
        observer: receives every login.
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
        """Number of successful logins."""
        return self._generation

    @property
    def state(self) -> SessionState:
        """Its state."""
        if self._ticket is not None:
            return SessionState.ACTIVE
        if self._login is not None:
            return SessionState.LOGGING_IN
        if self._is_closed or self._credentials is None:
            return SessionState.ENDED
        return SessionState.FAILING if self._must_pause() else SessionState.NONE

    @property
    def can_probe(self) -> bool:
        """True if there is a session or a new login is possible."""
        return self._ticket is not None or (self._renewable and not self._is_closed)

    @property
    def ticket(self) -> Ticket | None:
        """A ticket of the session; ``None`` without one."""
        return self._ticket

    @property
    def login_failure(self) -> ErpError | None:
        """Error of the last login, until a reply proves that the session works."""
        return self._failure

    async def revive(self) -> Ticket:
        """Return a ticket like :meth:`get_ticket`, without the pause after a temporary failure.

        For a probe, which finds out whether the failure has passed. The pause after rejected credentials
        still applies.

        Raises:
            ErpError: as :meth:`get_ticket`.
        """
        if not isinstance(self._failure, ErpLoginRejected):
            self._retry_at = 0.0
        return await self.get_ticket()

    def record_refusal(
        self, fresh: Ticket, reply: HttpReply, *, resource: str, path: str
    ) -> ErpLoginRejected:
        """Record a 401 to a call in a session that was renewed for it, as :meth:`refuse_call`.

        Returns:
            the error to raise.
        """
        error = ErpLoginRejected(*read_error(reply))
        self.refuse_call(fresh, error, resource=resource, path=path)
        return error

    def record_answer(self, ticket: Ticket, reply: HttpReply) -> None:
        """Record a reply: follow its route, and take a reply of the ERP as proof that the session works.

        A 401 proves nothing, nor does a page of the web server before the ERP, which never saw the session.
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
