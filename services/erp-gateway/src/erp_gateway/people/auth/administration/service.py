"""List people, end sessions and lift login blocks, for administrators; changes are audited."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import structlog
from attrs import define

from erp_gateway.people.auth.directory import EmployeeDirectory, Person
from erp_gateway.people.auth.errors import LoginBlockNotFound, SessionEndNotStored, SessionNotFound
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.people.auth.sessions import LiveSession, WebSessionStore
from erp_gateway.people.user_activity import save_people
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erpclient import Caller
from servicekit.tasks import finish
from servicekit.throttle import LoginThrottle

SESSIONS: Final = "sessions"
LOGIN_BLOCKS: Final = "login-blocks"
"""Names of these resources in the audit."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class Administration:
    """Lists people, lists and ends sessions, and lifts login blocks.

    Args:
        directory: the ERP's web users.
        sessions: live sessions.
        throttle: failed logins.
        changes: stores and audits the changes.
        database: stores which users are active.
    """

    _directory: EmployeeDirectory
    _sessions: WebSessionStore
    _throttle: LoginThrottle
    _changes: SessionChanges
    _database: Database

    async def list_people(self, caller: Caller) -> Sequence[Person]:
        """Return all employees with a web user; raises as `EmployeeDirectory.list_people`.

        This also stores which users are active, so that the last-administrator rule counts administrators who
        have never signed in.
        """
        people = await self._directory.list_people(caller)
        save = partial(save_people, active=people.list_active(), is_complete=people.complete)
        try:
            await finish(self._database.write(save))
        except StoreUnavailable as error:
            _log.warning("people_not_noted", reason=str(error.__cause__ or error))
        return people.items

    def list_live(self) -> tuple[LiveSession, ...]:
        """Return the live sessions, sorted by user name."""
        return self._sessions.list_live()

    async def end_session(self, web_user: str, *, actor: Actor) -> None:
        """End the session of a web user, named exactly as in the ERP.

        If the session has ended but its end is not stored yet, try to store it again.

        Raises:
            SessionNotFound: the user has no session.
            SessionEndNotStored: the session has ended, but a restarted process might still accept it.
        """
        session = self._sessions.find(web_user)
        if session is None:
            await self._retry_end(web_user)
            return
        event = _event(AuditAction.SESSION_ENDED, SESSIONS, web_user, actor)
        if not await self._changes.end(session, event):
            raise SessionEndNotStored

    async def _retry_end(self, web_user: str) -> None:
        try:
            was_retried = await self._changes.retry_end(web_user)
        except StoreUnavailable as error:
            raise SessionEndNotStored from error
        if not was_retried:
            raise SessionNotFound

    async def lift_block(self, web_user: str, *, actor: Actor) -> None:
        """Forget the failed logins of a user; all spellings of one name share a block.

        Raises:
            LoginBlockNotFound: the user is not blocked.
        """
        if not self._throttle.lift_block(web_user):
            raise LoginBlockNotFound
        event = _event(AuditAction.LOGIN_BLOCK_LIFTED, LOGIN_BLOCKS, web_user, actor)
        await self._changes.record_lift(event, web_user=web_user)


def _event(action: AuditAction, resource: str, web_user: str, actor: Actor) -> AuditEvent:
    return AuditEvent(action=action, result=AuditResult.OK, actor=actor, resource=resource, key=web_user)
