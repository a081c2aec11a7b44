"""`/api/auth/...` for everybody; `/api/sessions` and `/api/login-blocks` for administrators."""

from datetime import datetime
from typing import Final

from attrs import define, field, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.people.auth.administration import Administration
from erp_gateway.people.auth.directory import MOST_PEOPLE, Person
from erp_gateway.people.auth.errors import (
    EmployeeLookupRefused,
    LoginBlockNotFound,
    SessionEndNotStored,
    SessionNotFound,
)
from erp_gateway.people.auth.login import LoginService
from erp_gateway.people.auth.sessions import LiveSession
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import Actor
from erp_gateway.values.user_names import SystemName
from erp_gateway.values.web_user import WebUser
from erp_gateway.web.access import Access, actor_of, session_of
from erp_gateway.web.requests import WEB_USER, upstream_calls, web_user_of
from erp_gateway.web.upstream_errors import UPSTREAM_FAILURES
from erpclient import InternalLane, Reserve
from servicekit.config import Secret
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    json_response,
    read_json,
)
from servicekit.erp.errors import InvalidCredentials, LoginBusy, TooManyAttempts
from servicekit.erp.requests import recorded_calls
from servicekit.erp.sign_in_fields import MAX_LOGIN_BYTES, check_password, check_user_name
from servicekit.request_log import request_facts


@frozen(kw_only=True)
class LoginBody:
    """What login takes."""

    username: str = field(validator=check_user_name)
    password: str = field(validator=check_password, repr=False)


@frozen(kw_only=True)
class UserAnswer:
    """The signed-in user."""

    web_user: str
    employee_id: int
    first_name: str
    last_name: str
    full_name: str
    email: str
    is_admin: bool
    allowed_paths: tuple[str, ...]


@frozen(kw_only=True)
class CompanyAnswer:
    """The company that the service works with; what it means by a day is one of `timezone`."""

    database: str
    name: str
    timezone: str


@frozen(kw_only=True)
class LoginAnswer:
    """The token, for `Authorization: Bearer`, and who it stands for; `expires_in` is in seconds."""

    token: str = field(repr=False)
    expires_in: int
    user: UserAnswer
    company: CompanyAnswer


@frozen(kw_only=True)
class LiveSessionAnswer:
    """One live session; it is a web user's only one."""

    web_user: str
    employee_id: int
    full_name: str
    signed_in_at: datetime
    used_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class LiveSessionsAnswer:
    """All live sessions."""

    items: tuple[LiveSessionAnswer, ...]


@frozen(kw_only=True)
class PeopleAnswer:
    """Everybody who has a web user."""

    items: tuple[Person, ...]


_LIVE_SESSIONS: Final = Answer("All live sessions, by user name.", Body(LiveSessionsAnswer))
ANONYMOUS_LANE: Final = InternalLane(SystemName.ANONYMOUS)
"""The one lane of the ERP's queue for everybody who is not signed in."""


def endpoints(
    login: LoginService,
    permissions: PermissionService,
    *,
    expires_in_s: float,
    company_database: str,
    timezone: str,
) -> list[Endpoint]:
    """Declare the endpoints of people's own sessions.

    Args:
        login: signs people in and out.
        permissions: what they may use, shown with the user.
        expires_in_s: when a new session ends without a request, shown as `expiresIn`.
        company_database: name of the ERP's company database.
        timezone: name of the time zone of the company's days.
    """
    handlers = _Handlers(login, permissions, int(expires_in_s), company_database, timezone)
    return [
        Endpoint(
            "POST",
            "/api/auth/login",
            handlers.sign_in,
            access=Access.PUBLIC,
            summary="Sign in",
            description="A new login ends the user's earlier session.",
            request=Body(LoginBody),
            responses={200: Answer("Signed in.", Body(LoginAnswer))},
            errors=(
                InvalidCredentials,
                TooManyAttempts,
                LoginBusy,
                StoreUnavailable,
                EmployeeLookupRefused,
                *UPSTREAM_FAILURES,
            ),
            max_body_bytes=MAX_LOGIN_BYTES,
        ),
        Endpoint(
            "GET",
            "/api/auth/me",
            handlers.me,
            access=Access.SESSION,
            summary="The signed-in user",
            responses={200: Answer("The session's user.", Body(UserAnswer))},
        ),
        Endpoint(
            "POST",
            "/api/auth/logout",
            handlers.sign_out,
            access=Access.SESSION,
            summary="Sign out",
            responses={204: Answer("The token is no longer valid.")},
            errors=(SessionEndNotStored,),
        ),
    ]


def administration_endpoints(administration: Administration) -> list[Endpoint]:
    """Declare the endpoints for administrators."""
    handlers = _AdministrationHandlers(administration)
    return [
        Endpoint(
            "GET",
            "/api/people",
            handlers.people,
            access=Access.ADMIN,
            summary="The ERP's web users",
            description=f"Employees with a web user, inactive ones too; {MOST_PEOPLE:,} at most.",
            responses={200: Answer("All of them.", Body(PeopleAnswer))},
            errors=(EmployeeLookupRefused, *UPSTREAM_FAILURES),
        ),
        Endpoint(
            "GET",
            "/api/sessions",
            handlers.everyone,
            access=Access.ADMIN,
            summary="Who is signed in",
            responses={200: _LIVE_SESSIONS},
        ),
        Endpoint(
            "DELETE",
            "/api/sessions/{webUser}",
            handlers.end,
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
            handlers.lift_block,
            access=Access.ADMIN,
            summary="Lift a user's login block",
            description="The failed attempts still count for the addresses that they came from.",
            path_params=WEB_USER,
            responses={204: Answer("Lifted.")},
            errors=(LoginBlockNotFound,),
        ),
    ]


@define(eq=False, repr=False)
class _Handlers:
    _login: LoginService
    _permissions: PermissionService
    _expires_in_s: int
    _company_database: str
    _timezone: str

    async def sign_in(self, request: Request) -> Response:
        body = await read_json(request, LoginBody)
        facts = request_facts(request.scope)
        with recorded_calls(request, ANONYMOUS_LANE, reserve=Reserve.SIGN_IN) as caller:
            signed_in = await self._login.sign_in(
                body.username,
                Secret(body.password),
                actor=Actor(web_user=None, ip=facts.client_ip, request_id=facts.request_id),
                caller=caller,
            )
        facts.user = signed_in.session.web_user
        return json_response(
            LoginAnswer(
                token=signed_in.token,
                expires_in=self._expires_in_s,
                user=self._user(signed_in.session.user),
                company=CompanyAnswer(
                    database=self._company_database, name=signed_in.company_name, timezone=self._timezone
                ),
            )
        )

    async def me(self, request: Request) -> Response:
        return json_response(self._user(session_of(request).user))

    async def sign_out(self, request: Request) -> Response:
        await self._login.sign_out(session_of(request), actor=actor_of(request))
        return Response(status_code=204)

    def _user(self, user: WebUser) -> UserAnswer:
        return UserAnswer(
            web_user=user.name,
            employee_id=user.employee_id,
            first_name=user.first_name,
            last_name=user.last_name,
            full_name=user.full_name,
            email=user.email,
            is_admin=self._permissions.is_admin(user.name),
            allowed_paths=self._permissions.paths(user.name),
        )


class _AdministrationHandlers:
    def __init__(self, administration: Administration) -> None:
        self._administration = administration

    async def people(self, request: Request) -> Response:
        with upstream_calls(request) as caller:
            return json_response(PeopleAnswer(items=tuple(await self._administration.list_people(caller))))

    async def everyone(self, _request: Request) -> Response:
        items = tuple(_describe(live) for live in self._administration.list_live())
        return json_response(LiveSessionsAnswer(items=items))

    async def end(self, request: Request) -> Response:
        await self._administration.end_session(web_user_of(request), actor=actor_of(request))
        return Response(status_code=204)

    async def lift_block(self, request: Request) -> Response:
        await self._administration.lift_block(web_user_of(request), actor=actor_of(request))
        return Response(status_code=204)


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
