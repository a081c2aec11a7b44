"""Opening what carries changes of sessions out, with what an earlier process left."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.auth.kept.changes import SessionChanges
from erp_gateway.auth.kept.keeper import USES_INTERVAL_S, SessionKeeper, forget_all
from erp_gateway.auth.sessions import WebSessionStore
from erp_gateway.settings.service import Sessions
from erp_gateway.storage.database import Database
from servicekit.clock import Clock
from servicekit.tasks import every
from servicekit.throttle import LoginThrottle


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
