"""What administrators do with other people's sessions and login blocks. Audited."""

from typing import Final

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.auth.errors import LoginBlockNotFound, SessionNotFound
from erp_gateway.auth.sessions import LiveSession, WebSessionStore
from servicekit.tasks import finish
from servicekit.throttle import LoginThrottle

SESSIONS: Final = "sessions"
LOGIN_BLOCKS: Final = "login-blocks"
"""What was acted on, as the audit names it."""


class SessionAdministration:
    """Lists and ends sessions, and lifts login blocks.

    Args:
        sessions: who is signed in.
        throttle: who may not try to sign in.
        recorder: the audit.
    """

    def __init__(
        self, *, sessions: WebSessionStore, throttle: LoginThrottle, recorder: AuditRecorder
    ) -> None:
        self._sessions = sessions
        self._throttle = throttle
        self._recorder = recorder

    def list_live(self) -> tuple[LiveSession, ...]:
        """Return the live sessions by the names of their users."""
        return self._sessions.list_live()

    async def end_session(self, web_user: str, *, actor: Actor) -> None:
        """End the session of a web user, named exactly as in the ERP.

        Raises:
            SessionNotFound: there is none.
        """
        session = self._sessions.find(web_user)
        if session is None:
            raise SessionNotFound
        self._sessions.close(session)
        await self._record(AuditAction.SESSION_ENDED, SESSIONS, web_user, actor)

    async def lift_block(self, web_user: str, *, actor: Actor) -> None:
        """Let somebody try again who failed too often; spellings of one name are blocked together.

        Raises:
            LoginBlockNotFound: the user is not blocked.
        """
        if not self._throttle.lift_block(web_user):
            raise LoginBlockNotFound
        await self._record(AuditAction.LOGIN_BLOCK_LIFTED, LOGIN_BLOCKS, web_user, actor)

    async def _record(self, action: AuditAction, resource: str, web_user: str, actor: Actor) -> None:
        event = AuditEvent(action=action, result=AuditResult.OK, actor=actor, resource=resource, key=web_user)
        await finish(self._recorder.record(event))  # though the administrator has left meanwhile
