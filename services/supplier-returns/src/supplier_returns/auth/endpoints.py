"""`/api/auth/info`, `/api/auth/login`, `/api/auth/me`, `/api/auth/logout`."""

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from servicekit.config import Secret
from servicekit.endpoint import Answer, Body, Endpoint, json_response, read_json
from servicekit.erp.errors import (
    InvalidCredentials,
    LoginBusy,
    TooManyAttempts,
    UpstreamBusy,
    UpstreamFailed,
    UpstreamTimeout,
    UpstreamUnreadable,
)
from servicekit.erp.requests import recorded_calls
from servicekit.erp.sign_in_fields import MAX_LOGIN_BYTES
from servicekit.request_log import request_facts
from supplier_returns.auth.service import LoginService
from supplier_returns.auth.shapes import InstallationAnswer, LoginBody, SessionAnswer, UserAnswer
from supplier_returns.shape_fields import to_shape
from supplier_returns.web.access import Access
from supplier_returns.web.audit_log import Action, Result, audit
from supplier_returns.web.cookies import SessionCookie, session_cookies
from supplier_returns.web.erp_errors import ErpUnavailable, UpstreamConnectTimeout, UpstreamUnreachable
from supplier_returns.web.guard import session_of
from supplier_returns.web.session import WebSession
from supplier_returns.web.session_errors import SessionRequired, TooManySessions
from supplier_returns.web.session_store import WebSessionStore


@define(eq=False, repr=False, kw_only=True)
class AuthEndpoints:
    """Routes for signing in and out.

    Args:
        login: signs users in.
        sessions: sessions of signed-in users.
        cookie: sets and clears the cookie.
        company_db: company database, shown to users.
        timezone: name of the company's time zone.
        version: version of the service.
    """

    _login: LoginService
    _sessions: WebSessionStore
    _cookie: SessionCookie
    _company_db: str
    _timezone: str
    _version: str

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints."""
        return [
            Endpoint(
                "GET",
                "/api/auth/info",
                self.describe,
                access=Access.PUBLIC,
                summary="Show company and version for a login page",
                responses={
                    200: Answer(
                        "Company and version.",
                        Body(InstallationAnswer),
                    )
                },
            ),
            Endpoint(
                "POST",
                "/api/auth/login",
                self.sign_in,
                access=Access.PUBLIC,
                summary="Sign in as an ERP user",
                description="Opens a session of this user in the ERP. The cookie `dp_sid` identifies it.",
                request=Body(LoginBody),
                responses={
                    200: Answer(
                        "Signed in.",
                        Body(SessionAnswer),
                        headers={"Set-Cookie": "The session cookie `dp_sid`."},
                    )
                },
                errors=(
                    InvalidCredentials,
                    TooManyAttempts,
                    LoginBusy,
                    TooManySessions,
                    ErpUnavailable,
                    UpstreamUnreachable,
                    UpstreamConnectTimeout,
                    UpstreamTimeout,
                    UpstreamFailed,
                    UpstreamUnreadable,
                    UpstreamBusy,
                ),
                max_body_bytes=MAX_LOGIN_BYTES,
            ),
            Endpoint(
                "GET",
                "/api/auth/me",
                self.me,
                access=Access.SESSION,
                summary="Show the signed-in user",
                responses={200: Answer("The session's user.", Body(SessionAnswer))},
            ),
            Endpoint(
                "POST",
                "/api/auth/logout",
                self.sign_out,
                access=Access.PUBLIC,
                summary="Sign out",
                description="Ends the session, if there is one, here and in the ERP.",
                responses={204: Answer("The cookie is no longer valid.")},
            ),
        ]

    async def describe(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer GET /auth/info."""
        return json_response(
            InstallationAnswer(
                empresa=self._company_db, cookie_segura=self._cookie.secure, version=self._version
            )
        )

    async def sign_in(self, request: Request) -> Response:
        """Answer POST /auth/login: set the cookie, and end the browser's former session."""
        body = await read_json(request, LoginBody)
        facts = request_facts(request.scope)
        # The log masks these texts, even if an error of the ERP repeats them.
        facts.secrets.append(body.clave)
        with recorded_calls(request, body.usuario, may_leave=False) as caller:
            opened = await self._login.sign_in(
                body.usuario, Secret(body.clave), address=facts.client_ip, caller=caller
            )
        # From here on the login has succeeded, so the browser's former session can end.
        facts.user = opened.session.user.code
        self._end_session_of(request)
        response = json_response(self._answer(opened.session))
        self._cookie.put(response, request, opened.token)
        return response

    async def me(self, request: Request) -> Response:
        """Answer GET /auth/me."""
        return json_response(self._answer(session_of(request)))

    async def sign_out(self, request: Request) -> Response:
        """Answer POST /auth/logout: end the session, if there is one, and write an audit line."""
        ended = self._end_session_of(request)
        if ended is not None:
            ip = request_facts(request.scope).client_ip
            audit(Action.LOGOUT, Result.OK, user=ended.user.code, ip=ip)
        response = Response(status_code=204)
        self._cookie.clear(response, request)
        return response

    def _end_session_of(self, request: Request) -> WebSession | None:
        try:
            session = self._sessions.authenticate(session_cookies(request))
        except SessionRequired:
            return None
        self._sessions.end(session)
        return session

    def _answer(self, session: WebSession) -> SessionAnswer:
        return SessionAnswer(
            usuario=to_shape(UserAnswer, session.user),
            empresa=self._company_db,
            zona_horaria=self._timezone,
            expira=self._sessions.expires_at(),
        )
