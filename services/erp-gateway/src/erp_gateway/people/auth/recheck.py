"""Check the employee of a session again while the session is in use."""

import asyncio
import contextvars
from collections import deque
from functools import partial
from typing import Final

import structlog
from attrs import define, field

from erp_gateway.people.auth.administration.service import SESSIONS
from erp_gateway.people.auth.directory import EmployeeDirectory
from erp_gateway.people.auth.employee_choice import find_session_end, has_active_employee
from erp_gateway.people.auth.errors import EmployeeLookupRefused
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.people.auth.sessions import WebSessionStore
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.values.user_names import SystemName
from erp_gateway.web.session import WebSession
from erpclient import Caller, ErpError, InternalLane

RECHECK_LANE: Final = InternalLane(SystemName.RECHECK)
"""Lane of these lookups in the ERP's queue."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False, kw_only=True)
class EmployeeRecheck:
    """Ends sessions whose employee left, became inactive or has a new password in the ERP.

    Each session in use costs one read per interval. A read starts after a response was sent, and only one
    runs at a time in the process. So no request waits for its own recheck, and rechecks take at most one
    place in the queue. A failed read ends no session and is repeated after an interval.

    Args:
        directory: looks employees up.
        sessions: live sessions.
        changes: stores and audits the ends.
        interval_s: least seconds between two rechecks of one session; None switches them off.
    """

    _directory: EmployeeDirectory
    _sessions: WebSessionStore
    _changes: SessionChanges
    _interval_s: float | None
    _due: deque[tuple[WebSession, str]] = field(init=False, factory=deque)
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    def schedule(self, session: WebSession, request_id: str) -> None:
        """Recheck the session's employee in the background if a recheck is due.

        Args:
            session: the session of a finished request.
            request_id: id of that request; the log of the recheck carries it.
        """
        if self._interval_s is None or not self._sessions.start_recheck(session, self._interval_s):
            return
        self._due.append((session, request_id))
        if self._task is None or self._task.done():
            # A fresh context, because the task also serves sessions of later requests and must not log
            # under this request's id.
            context = contextvars.Context()
            self._task = asyncio.create_task(self._work(), name="employee-recheck", context=context)

    async def aclose(self) -> None:
        """Drop the rechecks that have not run."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._due:
            session, request_id = self._due.popleft()
            try:
                await self._recheck(session, request_id)
            except (ErpError, EmployeeLookupRefused) as error:
                _log.info(
                    "employee_recheck_failed",
                    user=session.user.name,
                    error=type(error).__name__,
                    request_id=request_id,
                )

    async def _recheck(self, session: WebSession, request_id: str) -> None:
        caller = Caller(RECHECK_LANE, request_id=request_id)
        candidates = await self._directory.find(session.user.name, caller)
        end = find_session_end(
            session.user.name,
            session.user.employee_id,
            candidates,
            is_same_password=partial(self._sessions.is_same_password, session),
        )
        if end is None or not self._sessions.close(session):
            return
        await self._changes.end(
            session,
            AuditEvent(
                action=AuditAction.SESSION_ENDED,
                result=AuditResult.OK,
                actor=Actor(web_user=SystemName.RECHECK, request_id=request_id),
                resource=SESSIONS,
                key=session.user.name,
                reason=end.value,
            ),
            is_active=has_active_employee(end),
        )
