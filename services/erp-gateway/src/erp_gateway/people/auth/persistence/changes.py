"""Sessions that begin and end, logins that fail: in memory, in the audit and, where so set, in the store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from typing import Final

from attrs import define, evolve

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import Along
from erp_gateway.people.auth.persistence.failures import FailurePersister
from erp_gateway.people.auth.persistence.persister import USES_INTERVAL_S, SessionPersister, forget_sessions
from erp_gateway.people.auth.policy import Employee
from erp_gateway.people.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.people.user_activity import note_active, note_sign_in
from erp_gateway.settings.service import Sessions
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.statements import Statements
from erp_gateway.values.audit_event import AuditEvent, AuditResult
from erp_gateway.web.session import WebSession
from servicekit.clock import Clock
from servicekit.tasks import every, finish
from servicekit.throttle import Failures, LoginThrottle

LIFTS_INTERVAL_S: Final = 0.5
"""How often requests of the command line to lift blocks are looked for."""


@define(eq=False, repr=False, kw_only=True)
class SessionChanges:
    """Carries a change out and has it recorded, each to its end although whoever asked has left meanwhile.

    Args:
        sessions: the sessions in memory.
        throttle: the failed logins in memory.
        recorder: the audit.
        failures: writes failed logins.
        persister: writes sessions for the process that follows; None where they end with this one.
    """

    _sessions: WebSessionStore
    _throttle: LoginThrottle
    _recorder: AuditRecorder
    _failures: FailurePersister
    _persister: SessionPersister | None = None

    async def open(self, employee: Employee, event: AuditEvent, *, address: str) -> OpenedSession:
        """Start a session; an earlier one of the same user has ended when this returns.

        Args:
            employee: the employee who signed in.
            event: the audit record of the login.
            address: the client's address.

        Raises:
            StoreUnavailable: the end of an earlier session can't be written. An earlier session that is live
                stays live, and no new one starts.
        """
        return await finish(self._open(employee, event, address))

    async def ended(self, session: WebSession, event: AuditEvent, *, is_active: bool | None = None) -> bool:
        """End a session, which may be over, and record it; return whether no later process believes it.

        Args:
            session: the session.
            event: how it is recorded.
            is_active: what the ERP said of its user; None where it was not asked.
        """
        self._sessions.close(session)
        return await finish(self._ended(session, event, is_active))

    async def retry_end(self, web_user: str) -> bool:
        """Write the end of a user's session if it may not be stored; return whether that was so.

        The audit record of the end is written already, or waits to be.

        Raises:
            StoreUnavailable: the store refused again.
        """
        return self._persister is not None and await finish(self._persister.retry_end(web_user))

    async def failed(self, event: AuditEvent, *, web_user: str, address: str, is_active: bool) -> None:
        """Record a failed login that is counted in memory, and whether its user is active in the ERP."""
        failures = self._throttle.failures_of(web_user, address)
        await finish(self._recount(event, failures, _noting_active(web_user, is_active)))

    async def lifted(self, event: AuditEvent, *, web_user: str) -> None:
        """Record that a user's failed logins were forgotten."""
        await finish(self._recount(event, self._throttle.failures_of(web_user)))

    async def _open(self, employee: Employee, event: AuditEvent, address: str) -> OpenedSession:
        persister, web_user = self._persister, employee.user.name
        async with nullcontext() if persister is None else persister.turn(web_user):
            opened = self._sessions.prepare(employee)
            failures = self._throttle.failures_of(web_user, address)
            along = _together(self._failures.counting(failures), _noting_sign_in(opened))
            if persister is not None and persister.must_replace(web_user):
                await self._replace(persister, opened, event, along)
                is_committed = True
            else:
                self._sessions.admit(opened)
                if persister is not None:
                    along = _together(persister.saving(opened), along)
                is_committed = await self._recorder.record(event, along) is not None
            if is_committed:
                self._failures.counted(failures)
            return opened

    async def _replace(
        self, persister: SessionPersister, opened: OpenedSession, event: AuditEvent, along: Along
    ) -> None:
        """Write the new session first: otherwise the next process could continue the earlier one."""
        try:
            with persister.replacing(opened):
                await self._recorder.commit(event, _together(persister.saving(opened), along))
                self._sessions.admit(opened)
        except StoreUnavailable as error:
            await self._recorder.record(evolve(event, result=AuditResult.ERROR, reason=error.code))
            raise

    async def _ended(self, session: WebSession, event: AuditEvent, is_active: bool | None) -> bool:
        noting = [] if is_active is None else [_noting_active(session.web_user, is_active)]
        if self._persister is None:
            await self._recorder.record(event, _together(*noting))
            return True
        along = _together(self._persister.deleting(session), *noting)
        if await self._recorder.record(event, along) is None:
            return False
        self._persister.deleted(session)
        return True

    async def _recount(self, event: AuditEvent, failures: tuple[Failures, ...], *further: Along) -> None:
        along = _together(self._failures.counting(failures), *further)
        if await self._recorder.record(event, along) is not None:
            self._failures.counted(failures)


def _together(*changes: Along) -> Along:
    def change(statements: Statements) -> bool:
        return all(each(statements) for each in changes)

    return change


def _noting_sign_in(opened: OpenedSession) -> Along:
    session = opened.session

    def note(statements: Statements) -> bool:
        note_sign_in(statements, session.web_user, session.signed_in_at)
        return True

    return note


def _noting_active(web_user: str, is_active: bool) -> Along:
    def note(statements: Statements) -> bool:
        note_active(statements, web_user, is_active=is_active)
        return True

    return note


@asynccontextmanager
async def open_session_changes(
    database: Database,
    sessions: WebSessionStore,
    throttle: LoginThrottle,
    recorder: AuditRecorder,
    clock: Clock,
    rules: Sessions,
) -> AsyncIterator[SessionChanges]:
    """Open it, and write last uses once more on leaving.

    Args:
        database: the store; open until after this.
        sessions: the sessions in memory, none yet.
        throttle: the failed logins in memory, none yet.
        recorder: the audit; open until after this.
        clock: time.
        rules: whether sessions and failed logins outlive the process; if not, those of an earlier one are
            removed.

    Raises:
        StoreUnavailable: the store refused.
    """
    failures = FailurePersister(database, throttle, clock)
    persister = SessionPersister(database, sessions, failures, clock) if rules.in_store else None
    async with AsyncExitStack() as stack:
        if persister is None:
            await forget_sessions(database)
            await failures.forget_all()
        else:
            await persister.restore()
            stack.push_async_callback(persister.close)
            await stack.enter_async_context(every(USES_INTERVAL_S, "session_uses", persister.reconcile))
        stack.push_async_callback(failures.close)
        await stack.enter_async_context(every(USES_INTERVAL_S, "failed_logins", failures.write_behind))
        await stack.enter_async_context(every(LIFTS_INTERVAL_S, "login_block_lifts", failures.lift_requested))
        yield SessionChanges(
            sessions=sessions,
            throttle=throttle,
            recorder=recorder,
            failures=failures,
            persister=persister,
        )
