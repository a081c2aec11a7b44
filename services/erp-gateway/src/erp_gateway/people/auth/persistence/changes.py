"""Changes of sessions and failed logins, applied in memory, in the audit and in the store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from typing import Final

from attrs import define, evolve

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditedChange
from erp_gateway.people.auth.employee_choice import Employee
from erp_gateway.people.auth.persistence.failures import FailurePersister
from erp_gateway.people.auth.persistence.persister import USES_INTERVAL_S, SessionPersister, forget_sessions
from erp_gateway.people.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.people.user_activity import save_active, save_sign_in
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
"""Interval between checks for requests to lift blocks."""


@define(eq=False, repr=False, kw_only=True)
class SessionChanges:
    """Applies a change and audits it. Each runs to its end, even if the client disconnects meanwhile.

    Args:
        sessions: the sessions in memory.
        throttle: the failed logins in memory.
        recorder: the audit.
        failures: writes failed logins.
        persister: writes sessions; None if sessions end with this process.
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

    async def end(self, session: WebSession, event: AuditEvent, *, is_active: bool | None = None) -> bool:
        """End a session and audit it; return True if no later process can continue it.

        Args:
            session: the session; it may have ended already.
            event: the audit event.
            is_active: whether its employee is active; None without a lookup.
        """
        self._sessions.close(session)
        return await finish(self._end(session, event, is_active))

    async def retry_end(self, web_user: str) -> bool:
        """Write the end of a user's session again; return False if no end is unwritten.

        The audit record of the end is written, or pending.

        Raises:
            StoreUnavailable: the store refused again.
        """
        return self._persister is not None and await finish(self._persister.retry_end(web_user))

    async def record_failure(
        self, event: AuditEvent, *, web_user: str, address: str, is_active: bool
    ) -> None:
        """Audit a failed login that the throttle has counted, and store whether its user is active."""
        failures = self._throttle.failures_of(web_user, address)
        await finish(self._recount(event, failures, _save_active(web_user, is_active)))

    async def record_lift(self, event: AuditEvent, *, web_user: str) -> None:
        """Audit that a user's failed logins were forgotten."""
        await finish(self._recount(event, self._throttle.failures_of(web_user)))

    async def _open(self, employee: Employee, event: AuditEvent, address: str) -> OpenedSession:
        persister, web_user = self._persister, employee.user.name
        async with nullcontext() if persister is None else persister.start_lock(web_user):
            opened = self._sessions.prepare(employee)
            failures = self._throttle.failures_of(web_user, address)
            change = _combine(self._failures.build_save(failures), _save_sign_in(opened))
            if persister is not None and persister.must_replace(web_user):
                await self._replace(persister, opened, event, change)
                is_committed = True
            else:
                self._sessions.admit(opened)
                if persister is not None:
                    change = _combine(persister.build_save(opened), change)
                is_committed = await self._recorder.record(event, change) is not None
            if is_committed:
                self._failures.mark_saved(failures)
            return opened

    async def _replace(
        self, persister: SessionPersister, opened: OpenedSession, event: AuditEvent, change: AuditedChange
    ) -> None:
        """Write the new session before it starts, or a restarted process could continue the earlier one."""
        try:
            with persister.replacing(opened):
                await self._recorder.commit(event, _combine(persister.build_save(opened), change))
                self._sessions.admit(opened)
        except StoreUnavailable as error:
            await self._recorder.record(evolve(event, result=AuditResult.ERROR, reason=error.code))
            raise

    async def _end(self, session: WebSession, event: AuditEvent, is_active: bool | None) -> bool:
        activity = [] if is_active is None else [_save_active(session.user.name, is_active)]
        if self._persister is None:
            await self._recorder.record(event, _combine(*activity))
            return True
        change = _combine(self._persister.build_delete(session), *activity)
        if await self._recorder.record(event, change) is None:
            return False
        self._persister.mark_deleted(session)
        return True

    async def _recount(
        self, event: AuditEvent, failures: tuple[Failures, ...], *further: AuditedChange
    ) -> None:
        change = _combine(self._failures.build_save(failures), *further)
        if await self._recorder.record(event, change) is not None:
            self._failures.mark_saved(failures)


def _combine(*changes: AuditedChange) -> AuditedChange:
    def run_all(statements: Statements) -> bool:
        return all(change(statements) for change in changes)

    return run_all


def _save_sign_in(opened: OpenedSession) -> AuditedChange:
    session = opened.session

    def note(statements: Statements) -> bool:
        save_sign_in(statements, session.user.name, session.signed_in_at)
        return True

    return note


def _save_active(web_user: str, is_active: bool) -> AuditedChange:
    def note(statements: Statements) -> bool:
        save_active(statements, web_user, is_active=is_active)
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
    """Restore sessions and failed logins, and keep the store current until leaving.

    Args:
        database: the store; must stay open longer.
        sessions: the sessions in memory, still empty.
        throttle: the failed logins in memory, still empty.
        recorder: the audit; must stay open longer.
        clock: time.
        rules: whether sessions survive a restart; if not, stored ones are deleted.

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
        await stack.enter_async_context(
            every(LIFTS_INTERVAL_S, "login_block_lifts", failures.lift_requested_blocks)
        )
        yield SessionChanges(
            sessions=sessions,
            throttle=throttle,
            recorder=recorder,
            failures=failures,
            persister=persister,
        )
