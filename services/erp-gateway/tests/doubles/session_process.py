"""The sessions of one gateway process on a store; a new `SessionProcess` on the same store is a restart."""

from zoneinfo import ZoneInfo

from employees import make_employee

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.people.auth.persistence.failures import FailurePersister
from erp_gateway.people.auth.persistence.persister import SessionPersister
from erp_gateway.people.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from servicekit.clock import ManualClock
from servicekit.throttle import AttemptBlockedError, LoginThrottle

TIMEOUT_S = 1800.0
ADDRESS = "10.0.0.7"


def event(action: AuditAction, web_user: str = "ana") -> AuditEvent:
    """Return the audit record of a successful action."""
    return AuditEvent(action=action, result=AuditResult.OK, actor=Actor(web_user=web_user, ip=ADDRESS))


class SessionProcess:
    """The parts of a process that keep sessions; dropping the object is a kill."""

    def __init__(
        self,
        database: Database,
        clock: ManualClock,
        *,
        timeout_s: float = TIMEOUT_S,
        max_age_s: float | None = None,
        limit_s: float = 10.0,
    ) -> None:
        self.sessions = WebSessionStore(
            timeout_s=timeout_s, max_age_s=max_age_s, clock=clock, timezone=ZoneInfo("UTC"), capacity=3
        )
        self.throttle = LoginThrottle(clock)
        self.failures = FailurePersister(database, self.throttle, clock)
        self.persister = SessionPersister(database, self.sessions, self.failures, clock)
        self.recorder = AuditRecorder(AuditStore(database), clock, limit_s=limit_s)
        self.changes = SessionChanges(
            sessions=self.sessions,
            throttle=self.throttle,
            recorder=self.recorder,
            failures=self.failures,
            persister=self.persister,
        )

    async def open(self, web_user: str = "ana") -> OpenedSession:
        """Sign a user in."""
        return await self.changes.open(
            make_employee(web_user), event(AuditAction.LOGIN, web_user), address=ADDRESS
        )

    async def log_out(self, opened: OpenedSession) -> bool:
        """Sign a user out; return whether that is stored."""
        return await self.changes.end(opened.session, event(AuditAction.LOGOUT, opened.session.user.name))

    async def fail(self, web_user: str = "ana", times: int = 1) -> None:
        """Fail to sign in."""
        for _ in range(times):
            async with self.throttle.attempt(web_user, ADDRESS) as attempt:
                attempt.failed()
            await self.changes.record_failure(
                event(AuditAction.LOGIN_FAILED, web_user), web_user=web_user, address=ADDRESS, is_active=True
            )

    async def is_blocked(self, web_user: str) -> bool:
        """Return whether the user may not try to sign in."""
        try:
            async with self.throttle.attempt(web_user, "10.9.9.9"):
                return False
        except AttemptBlockedError:
            return True


async def started(database: Database, clock: ManualClock) -> SessionProcess:
    """Start a process with what is stored."""
    process = SessionProcess(database, clock)
    await process.persister.restore()
    return process
