"""`/api/auth/...`: sign in, sign out, and show the signed-in user."""

from typing import Final

from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.people.auth.errors import (
    EmployeeLookupRefused,
    SessionEndNotStored,
)
from erp_gateway.people.auth.login import LoginService
from erp_gateway.people.auth.shapes import CompanyAnswer, LoginAnswer, LoginBody, UserAnswer
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import Actor
from erp_gateway.values.user_names import SystemName
from erp_gateway.values.web_user import WebUser
from erp_gateway.web.access import Access, actor_of, session_of
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
from servicekit.erp.sign_in_fields import MAX_LOGIN_BYTES
from servicekit.request_log import request_facts

ANONYMOUS_LANE: Final = InternalLane(SystemName.ANONYMOUS)
"""All sign-ins share this lane of the ERP's queue, because their users are not yet verified."""


@define(eq=False, repr=False)
class AuthEndpoints:
    """Handlers of sign-in and sign-out.

    Args:
        login: signs people in and out.
        permissions: permissions of the signed-in user.
        expires_in_s: seconds after which an unused session ends, shown as `expiresIn`.
        company_database: name of the ERP's company database.
        timezone: name of the time zone of the company's days.
    """

    _login: LoginService
    _permissions: PermissionService
    _expires_in_s: float = field(kw_only=True)
    _company_database: str = field(kw_only=True)
    _timezone: str = field(kw_only=True)

    async def sign_in(self, request: Request) -> Response:
        """Sign a user in."""
        body = await read_json(request, LoginBody)
        facts = request_facts(request.scope)
        with recorded_calls(request, ANONYMOUS_LANE, reserve=Reserve.SIGN_IN) as caller:
            signed_in = await self._login.sign_in(
                body.username,
                Secret(body.password),
                actor=Actor(web_user=None, ip=facts.client_ip, request_id=facts.request_id),
                caller=caller,
            )
        facts.user = signed_in.session.user.name
        return json_response(
            LoginAnswer(
                token=signed_in.token,
                expires_in=int(self._expires_in_s),
                user=self._user(signed_in.session.user),
                company=CompanyAnswer(
                    database=self._company_database, name=signed_in.company_name, timezone=self._timezone
                ),
            )
        )

    async def me(self, request: Request) -> Response:
        """Answer the signed-in user."""
        return json_response(self._user(session_of(request).user))

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        await self._login.sign_out(session_of(request), actor=actor_of(request))
        return Response(status_code=204)

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoints of sign-in and sign-out."""
        return [
            Endpoint(
                "POST",
                "/api/auth/login",
                self.sign_in,
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
                self.me,
                access=Access.SESSION,
                summary="The signed-in user",
                responses={200: Answer("The session's user.", Body(UserAnswer))},
            ),
            Endpoint(
                "POST",
                "/api/auth/logout",
                self.sign_out,
                access=Access.SESSION,
                summary="Sign out",
                responses={204: Answer("The token is no longer valid.")},
                errors=(SessionEndNotStored,),
            ),
        ]

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
