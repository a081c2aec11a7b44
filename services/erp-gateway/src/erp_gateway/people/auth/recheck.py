"""Looking again, while a session is used, whether its employee may still be signed in."""

import asyncio
import contextvars
from collections import deque
from functools import partial
from typing import Final

import structlog
from attrs import define, field

from erp_gateway.people.auth.administration.service import SESSIONS
from erp_gateway.people.auth.directory import EmployeeDirectory
from erp_gateway.people.auth.errors import EmployeeLookupRefused
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.people.auth.policy import find_session_end, says_active
from erp_gateway.people.auth.sessions import WebSessionStore
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.values.user_names import SystemName
from erp_gateway.web.session import WebSession
from erpclient import Caller, ErpError, InternalLane

RECHECK_LANE: Final = InternalLane(SystemName.RECHECK)
"""The queue's lane for these lookups."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False, kw_only=True)
class EmployeeRecheck:
    """Ends sessions whose employee left, became inactive or has another password in the ERP by now.

    Each session in use costs one read in an interval. The reads begin when a request is done, one at a time
    for the whole process: nobody's request waits for its own look, and at most one place of the queue is
    taken. What the ERP does not answer ends nothing, and is asked again an interval later.

    Args:
        directory: where people are looked up.
        sessions: whose sessions.
        changes: writes that one ended.
        interval_s: least seconds between two looks at one session; None: never look.
    """

    _directory: EmployeeDirectory
    _sessions: WebSessionStore
    _changes: SessionChanges
    _interval_s: float | None
    _due: deque[tuple[WebSession, str]] = field(init=False, factory=deque)
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    def after_use(self, session: WebSession, request_id: str) -> None:
        """Look at the session's employee, in the background, if it is time for it.

        Args:
            session: the session of a request that is done.
            request_id: the id of that request, under which the look is found in the log.
        """
        if self._interval_s is None or not self._sessions.take_recheck(session, self._interval_s):
            return
        self._due.append((session, request_id))
        if self._task is None or self._task.done():
            # in a context of its own, because it goes on for other sessions than this request's
            context = contextvars.Context()
            self._task = asyncio.create_task(self._work(), name="employee-recheck", context=context)

    async def aclose(self) -> None:
        """Drop what has not been looked at."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._due:
            session, request_id = self._due.popleft()
            try:
                await self._look(session, request_id)
            except (ErpError, EmployeeLookupRefused) as error:
                _log.info(
                    "employee_recheck_failed",
                    user=session.web_user,
                    error=type(error).__name__,
                    request_id=request_id,
                )

    async def _look(self, session: WebSession, request_id: str) -> None:
        caller = Caller(RECHECK_LANE, request_id=request_id)
        candidates = await self._directory.find(session.web_user, caller)
        end = find_session_end(
            session.web_user,
            session.user.employee_id,
            candidates,
            is_same_password=partial(self._sessions.is_same_password, session),
        )
        if end is None or not self._sessions.close(session):
            return
        await self._changes.ended(
            session,
            AuditEvent(
                action=AuditAction.SESSION_ENDED,
                result=AuditResult.OK,
                actor=Actor(web_user=SystemName.RECHECK, request_id=request_id),
                resource=SESSIONS,
                key=session.web_user,
                reason=end.value,
            ),
            is_active=says_active(end),
        )
