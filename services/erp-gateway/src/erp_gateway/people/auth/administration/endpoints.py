"""`/api/people`, `/api/sessions` and `/api/login-blocks`, for administrators."""

from typing import Final

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.people.auth.administration.service import Administration
from erp_gateway.people.auth.directory import MOST_PEOPLE
from erp_gateway.people.auth.errors import (
    EmployeeLookupRefused,
    LoginBlockNotFound,
    SessionEndNotStored,
    SessionNotFound,
)
from erp_gateway.people.auth.sessions import LiveSession
from erp_gateway.people.auth.shapes import LiveSessionAnswer, LiveSessionsAnswer, PeopleAnswer
from erp_gateway.web.access import Access, actor_of
from erp_gateway.web.requests import WEB_USER, upstream_calls, web_user_of
from erp_gateway.web.upstream_errors import UPSTREAM_FAILURES
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    json_response,
)

_LIVE_SESSIONS: Final = Answer("All live sessions, by user name.", Body(LiveSessionsAnswer))


@define(eq=False, repr=False)
class AdministrationEndpoints:
    """Handlers for administrators of people.

    Args:
        administration: people, sessions and login blocks.
    """

    _administration: Administration

    async def people(self, request: Request) -> Response:
        """Answer the employees who have a web user."""
        with upstream_calls(request) as caller:
            return json_response(PeopleAnswer(items=tuple(await self._administration.list_people(caller))))

    async def list_sessions(self, _request: Request) -> Response:
        """Answer all live sessions."""
        items = tuple(_describe(session) for session in self._administration.list_live())
        return json_response(LiveSessionsAnswer(items=items))

    async def end_session(self, request: Request) -> Response:
        """End a user's session."""
        await self._administration.end_session(web_user_of(request), actor=actor_of(request))
        return Response(status_code=204)

    async def lift_block(self, request: Request) -> Response:
        """Lift a user's login block."""
        await self._administration.lift_block(web_user_of(request), actor=actor_of(request))
        return Response(status_code=204)

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoints for administrators."""
        return [
            Endpoint(
                "GET",
                "/api/people",
                self.people,
                access=Access.ADMIN,
                summary="The ERP's web users",
                description=f"Employees with a web user, inactive ones too; {MOST_PEOPLE:,} at most.",
                responses={200: Answer("All of them.", Body(PeopleAnswer))},
                errors=(EmployeeLookupRefused, *UPSTREAM_FAILURES),
            ),
            Endpoint(
                "GET",
                "/api/sessions",
                self.list_sessions,
                access=Access.ADMIN,
                summary="Live sessions",
                responses={200: _LIVE_SESSIONS},
            ),
            Endpoint(
                "DELETE",
                "/api/sessions/{webUser}",
                self.end_session,
                access=Access.ADMIN,
                summary="End a user's session",
                description="Requests that run are finished; the next one is answered 401 `session_expired`.",
                path_params=WEB_USER,
                responses={204: Answer("Ended.")},
                errors=(SessionNotFound, SessionEndNotStored),
            ),
            Endpoint(
                "DELETE",
                "/api/login-blocks/{webUser}",
                self.lift_block,
                access=Access.ADMIN,
                summary="Lift a user's login block",
                description="The failed attempts still count for the addresses that they came from.",
                path_params=WEB_USER,
                responses={204: Answer("Lifted.")},
                errors=(LoginBlockNotFound,),
            ),
        ]


def _describe(live: LiveSession) -> LiveSessionAnswer:
    user = live.session.user
    return LiveSessionAnswer(
        web_user=user.name,
        employee_id=user.employee_id,
        full_name=user.full_name,
        signed_in_at=live.session.signed_in_at,
        used_at=live.used_at,
        expires_at=live.expires_at,
    )
