"""What administrators do with people, their sessions and login blocks; what changes something is audited."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import structlog
from attrs import define

from erp_gateway.people.auth.directory import EmployeeDirectory, Person
from erp_gateway.people.auth.errors import LoginBlockNotFound, SessionEndNotStored, SessionNotFound
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.people.auth.sessions import LiveSession, WebSessionStore
from erp_gateway.people.user_activity import note_people
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erpclient import Caller
from servicekit.tasks import finish
from servicekit.throttle import LoginThrottle

SESSIONS: Final = "sessions"
LOGIN_BLOCKS: Final = "login-blocks"
"""What was acted on, as the audit names it."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class Administration:
    """Lists people, lists and ends sessions, and lifts login blocks.

    Args:
        directory: whom the ERP knows.
        sessions: who is signed in.
        throttle: who may not try to sign in.
        changes: records what was done.
        database: where it is noted who is active.
    """

    _directory: EmployeeDirectory
    _sessions: WebSessionStore
    _throttle: LoginThrottle
    _changes: SessionChanges
    _database: Database

    async def list_people(self, caller: Caller) -> Sequence[Person]:
        """Return everybody who has a web user; raises as `EmployeeDirectory.list_people`.

        Who is active is stored on the way, so that administrators who never signed in count as well.
        """
        people = await self._directory.list_people(caller)
        note = partial(note_people, active=people.find_active(), is_complete=people.complete)
        try:
            await finish(self._database.write(note))
        except StoreUnavailable as error:
            _log.warning("people_not_noted", reason=str(error.__cause__ or error))
        return people.items

    def list_live(self) -> tuple[LiveSession, ...]:
        """Return the live sessions by the names of their users."""
        return self._sessions.list_live()

    async def end_session(self, web_user: str, *, actor: Actor) -> None:
        """End the session of a web user, named exactly as in the ERP.

        Asked again for one that is over and could not be stored as such, it tries to store that.

        Raises:
            SessionNotFound: there is none.
            SessionEndNotStored: it is over, but a process that follows might still believe it.
        """
        session = self._sessions.find(web_user)
        if session is None:
            await self._end_again(web_user)
            return
        event = _event(AuditAction.SESSION_ENDED, SESSIONS, web_user, actor)
        if not await self._changes.ended(session, event):
            raise SessionEndNotStored

    async def _end_again(self, web_user: str) -> None:
        try:
            was_retried = await self._changes.retry_end(web_user)
        except StoreUnavailable as error:
            raise SessionEndNotStored from error
        if not was_retried:
            raise SessionNotFound

    async def lift_block(self, web_user: str, *, actor: Actor) -> None:
        """Let somebody try again who failed too often; spellings of one name are blocked together.

        Raises:
            LoginBlockNotFound: the user is not blocked.
        """
        if not self._throttle.lift_block(web_user):
            raise LoginBlockNotFound
        event = _event(AuditAction.LOGIN_BLOCK_LIFTED, LOGIN_BLOCKS, web_user, actor)
        await self._changes.lifted(event, web_user=web_user)


def _event(action: AuditAction, resource: str, web_user: str, actor: Actor) -> AuditEvent:
    return AuditEvent(action=action, result=AuditResult.OK, actor=actor, resource=resource, key=web_user)
