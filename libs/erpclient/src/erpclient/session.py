"""A session with a server: opened once for all callers and renewed by generation."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Generic, Protocol, TypeVar

import structlog

from erpclient.backoff import Backoff
from erpclient.errors import ErpError, ErpLoginRejected, ErpRefused, Outcome, SessionEnded
from erpclient.login_trouble import login_trouble
from erpclient.observer import Observer
from erpclient.renewal_pauses import RenewalPauses

SHORT_PAUSE_S: Final = 1.0
"""Pause after a login that failed for a reason that passes."""

UNPROVEN_CALLS: Final = 3
"""Refused calls in new sessions, without a success, after which all calls pause as after a refused login."""

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")


class AnyTicket(Protocol):
    """Permission to send a call in a session."""

    @property
    def generation(self) -> int:
        """Number of the login that it comes from, from 1."""
        ...


_T = TypeVar("_T", bound=AnyTicket)

Login = Callable[[int], Awaitable[_T]]
"""Logs in and returns the ticket of this generation."""


class Session(Generic[_T]):
    """One session with a server, shared by all calls.

    A call needs a ticket. The first call logs in, and the others wait for the same login. A call that gets a
    401 renews the session with its ticket: only the first renewal of a generation causes a login. After a
    rejected login there is a pause, during which all calls fail at once. A call that is refused in a new
    session too gets a pause of its own; other calls may still renew the session.

    Args:
        name: begins its log events: ``{name}_session_opened``, ``_session_lost``, ``_session_closed``,
            ``_login_failed``, ``_call_refused``, ``_logout_failed``.
        prepare_login: returns the function that logs in; raises if a login can't succeed.
        log_out: closes the session at the server.
        log_refusal: logs a refusal and the seconds of the pause.
        forget: drops the credentials when the session is closed.
        monotonic: monotonic clock in seconds.
        observer: receives every login.
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
        self.renewal_pauses = RenewalPauses(monotonic)

    def check(self) -> None:
        """Raise what :meth:`get_ticket` would raise without waiting.

        Raises:
            SessionEnded: it is over.
            ErpError: the last login failed, and the next one has to wait.
        """
        if self._ticket is None and self._login is None:
            self._begin()

    async def get_ticket(self) -> _T:
        """Return a ticket of the session; log in first if there is none.

        Raises:
            ErpLoginRejected: the server refuses the credentials.
            SessionEnded: the session has ended.
            ErpError: the login failed otherwise. In each case nothing was sent for the caller.
        """
        if self._ticket is not None:
            return self._ticket
        if self._login is None:
            self._login = asyncio.create_task(self._log_in(self._begin()), name=f"{self._name}-login")
        result = await asyncio.shield(self._login)
        if isinstance(result, ErpError):
            raise result.without_traceback()
        return result

    async def renew(self, refused: _T) -> _T:
        """Return a ticket of a later generation than that of the expired session.

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
        """Record that a call was refused in a session that had been renewed for it.

        The session stays, since other calls may succeed in it; only this call may not renew it for a while.
        If no call succeeds in new sessions, logging in does not help, and all calls pause. Until a call
        succeeds, the refusal counts as the failure of the login: the account may have lost its licence.

        Args:
            fresh: the new session.
            error: the refusal.
            resource: of the call; logged.
            path: of the call; not logged, because it may contain a key.
        """
        if self._ticket is None or fresh.generation != self._generation:
            return
        pause_s = self.renewal_pauses.add(resource, path)
        _log.warning(f"{self._name}_call_refused", resource=resource, erp_code=error.code, pause_s=pause_s)
        self._failure = error.without_traceback()
        self._unproven += 1
        if self._unproven >= UNPROVEN_CALLS:
            self._pause(error)

    def record_success(self) -> None:
        """Record that the session works."""
        self._backoff = Backoff()
        self._unproven = 0
        self._failure = None
        self._retry_at = 0.0

    async def aclose(self) -> None:
        """Log out with the session's own cookies, after a login in flight. Never logs in for that."""
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
        """Cancel a login in flight. Only for an end that can't wait: its session stays open at the server."""
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
            # The callers sent nothing, whatever the outcome of the login.
            failure = error.without_traceback(outcome=Outcome.NOT_DONE)
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
            self._observer.login_finished(outcome=outcome, duration_s=self._monotonic() - started)

    def _check_pause(self) -> None:
        if self._failure is not None and self._must_pause():
            raise self._failure.without_traceback()

    def _must_pause(self) -> bool:
        return self._monotonic() < self._retry_at

    def _pause(self, error: ErpLoginRejected | ErpRefused) -> None:
        pause_s = self._backoff.extend(self._monotonic())
        self._failure = error.without_traceback()
        self._retry_at = self._backoff.until
        self._log_refusal(error, pause_s)
