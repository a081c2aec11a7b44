"""Sessions that begin and end, logins that fail: in memory, in the audit and, where so set, in the store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from attrs import evolve

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import Along
from erp_gateway.audit_event import AuditEvent, AuditResult
from erp_gateway.auth.directory import Employee
from erp_gateway.auth.persistence.keeper import USES_INTERVAL_S, SessionKeeper, forget_all
from erp_gateway.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.settings.service import Sessions
from erp_gateway.storage.database import Database
from erp_gateway.storage.errors import StoreUnavailable
from erp_gateway.storage.statements import Statements
from erp_gateway.web.session import WebSession
from servicekit.clock import Clock
from servicekit.tasks import every, finish
from servicekit.throttle import Failures, LoginThrottle


class SessionChanges:
    """Carries a change out and has it recorded, each to its end although whoever asked has left meanwhile.

    Args:
        sessions: the sessions in memory.
        throttle: the failed logins in memory.
        recorder: the audit.
        keeper: writes both for the process that follows; None where they end with this one.
    """

    def __init__(
        self,
        *,
        sessions: WebSessionStore,
        throttle: LoginThrottle,
        recorder: AuditRecorder,
        keeper: SessionKeeper | None = None,
    ) -> None:
        self._sessions = sessions
        self._throttle = throttle
        self._recorder = recorder
        self._keeper = keeper

    async def open(self, employee: Employee, event: AuditEvent, *, address: str) -> OpenedSession:
        """Start a session; an earlier one of the same user has ended when this returns.

        Args:
            employee: who signed in.
            event: how it is recorded.
            address: from where.

        Raises:
            StoreUnavailable: the end of an earlier session can't be written; a live one goes on, none began.
        """
        if self._keeper is None:
            opened = self._sessions.open(employee)
            await finish(self._recorder.record(event))
            return opened
        return await finish(self._open_kept(self._keeper, employee, event, address))

    async def ended(self, session: WebSession, event: AuditEvent) -> bool:
        """End a session, which may be over, and record it; return whether no later process believes it."""
        self._sessions.close(session)
        return await finish(self._ended(session, event))

    async def write_unsure_end(self, web_user: str) -> bool:
        """Write that a user's session has ended where the store may not know; return whether that was so.

        The end itself is recorded already, or waits to be.

        Raises:
            StoreUnavailable: the store refused again.
        """
        return self._keeper is not None and await finish(self._keeper.delete_unsure(web_user))

    async def failed(self, event: AuditEvent, *, web_user: str, address: str) -> None:
        """Record a failed login that is counted in memory."""
        await finish(self._recount(event, self._throttle.failures_of(web_user, address)))

    async def lifted(self, event: AuditEvent, *, web_user: str) -> None:
        """Record that a user's failed logins were forgotten."""
        await finish(self._recount(event, self._throttle.failures_of(web_user)))

    async def _open_kept(
        self, keeper: SessionKeeper, employee: Employee, event: AuditEvent, address: str
    ) -> OpenedSession:
        async with keeper.turn(employee.web_user):
            opened = self._sessions.prepare(employee)
            failures = self._throttle.failures_of(employee.web_user, address)
            replaces = self._sessions.find(employee.web_user) is not None or keeper.owes_end(
                employee.web_user
            )
            saving, counting = keeper.saving(opened, while_live=not replaces), keeper.counting(failures)

            def along(statements: Statements) -> bool:
                return saving(statements) and counting(statements)

            if replaces:
                await self._replace(keeper, opened, event, along)
            else:
                self._sessions.admit(opened)
                keeper.saved(opened, surely=False)
                if await self._recorder.record(event, along) is None:
                    return opened
            keeper.saved(opened, surely=True)
            keeper.counted(failures)
            return opened

    async def _replace(
        self, keeper: SessionKeeper, opened: OpenedSession, event: AuditEvent, along: Along
    ) -> None:
        """Write first: the earlier session must not be believed once it has ended here."""
        try:
            await self._recorder.commit(event, along)
        except StoreUnavailable as error:
            keeper.saved(opened, surely=False)
            await self._recorder.record(evolve(event, result=AuditResult.ERROR, reason=error.code))
            raise
        self._sessions.admit(opened)

    async def _ended(self, session: WebSession, event: AuditEvent) -> bool:
        if self._keeper is None:
            await self._recorder.record(event)
            return True
        if await self._recorder.record(event, self._keeper.deleting(session)) is None:
            return False
        self._keeper.deleted(session)
        return True

    async def _recount(self, event: AuditEvent, failures: tuple[Failures, ...]) -> None:
        if self._keeper is None:
            await self._recorder.record(event)
        elif await self._recorder.record(event, self._keeper.counting(failures)) is not None:
            self._keeper.counted(failures)


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
        rules: whether sessions outlive the process; if not, what an earlier one left is removed.

    Raises:
        StoreUnavailable: the store refused.
    """
    if not rules.in_store:
        await forget_all(database)
        yield SessionChanges(sessions=sessions, throttle=throttle, recorder=recorder)
        return
    keeper = SessionKeeper(database, sessions, throttle, clock)
    await keeper.restore()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(keeper.close)
        await stack.enter_async_context(every(USES_INTERVAL_S, "session_uses", keeper.write_behind))
        yield SessionChanges(sessions=sessions, throttle=throttle, recorder=recorder, keeper=keeper)
