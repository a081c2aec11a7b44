# ruff: noqa: N818 - the name of an error states the reason for the refusal
"""Checks that every request passes before its handler."""

from collections.abc import Callable
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erpclient import Caller
from servicekit.endpoint import Endpoint, Handler
from servicekit.erp.requests import recorded_calls
from servicekit.errors import ServiceError, UnsupportedMediaType
from servicekit.request_log import request_facts
from supplier_returns.settings.origins import Origin, parse_origin
from supplier_returns.web.access import SAFE_METHODS, Access
from supplier_returns.web.cookies import session_cookies
from supplier_returns.web.error_map import translating_errors
from supplier_returns.web.origin import may_change
from supplier_returns.web.session import WebSession
from supplier_returns.web.session_errors import SessionExpired, SessionRequired
from supplier_returns.web.session_store import WebSessionStore


class OriginForbidden(ServiceError):
    """A page of another site made the browser send a change."""

    status = 403
    code = "origin_forbidden"
    detail = "La solicitud proviene de otro sitio y no se realizó."


SIGN_IN: Final = (
    "Con un usuario del ERP: en la consola (/consola/, donde está activada) o con "
    'POST {prefix}/api/auth/login y {{"usuario": "…", "clave": "…"}}; '
    "la cookie de la respuesta abre esta página."
)


class Guard:
    """Adds the checks of an endpoint's access kind before its handler.

    The handler gets the signed-in user with `session_of(request)`, and the caller for ERP requests with
    `caller_of(request)`. The request's log line contains the cost of its ERP calls. If the ERP no longer
    knows the user's session, the web session ends too.

    Args:
        sessions: sessions by cookie.
        web_origin: origin of a web application on another host.
    """

    def __init__(self, sessions: WebSessionStore, web_origin: Origin | None) -> None:
        self._sessions = sessions
        self._web_origin = web_origin

    def __call__(self, endpoint: Endpoint) -> Handler:
        """Return the endpoint's handler with its checks.

        Raises:
            TypeError: the endpoint has an unknown access kind.
        """
        if not isinstance(endpoint.access, Access):
            raise TypeError(
                f"{endpoint.method} {endpoint.path} declares no access kind but {endpoint.access!r}"
            )
        handler = translating_errors(endpoint.handler)
        handle = handler if endpoint.access is Access.PUBLIC else self._with_session(handler)
        if endpoint.access is Access.DESCRIPTION:
            handle = _with_sign_in_help(handle)
        if endpoint.method in SAFE_METHODS:
            return handle

        # An HTML form of another site can send other media types without a preflight.
        async def guarded(request: Request) -> Response:
            self._check_origin(request)
            _check_media_type(request)
            return await handle(request)

        return guarded

    def _with_session(self, handler: Handler) -> Handler:
        sessions = self._sessions

        async def guarded(request: Request) -> Response:
            session = sessions.authenticate(session_cookies(request))
            request_facts(request.scope).user = session.user.code
            request.state.session = session
            request.state.check_session = partial(sessions.check_live, session)
            # Only a read may be cancelled when its client disconnects. A cancelled write would have an
            # unknown outcome.
            may_leave = request.method in SAFE_METHODS
            calls = recorded_calls(request, session.user.code, may_leave=may_leave)
            try:
                with calls as request.state.caller, session.in_use():
                    return await handler(request)
            except SessionExpired:
                sessions.end(session)
                raise
            finally:
                sessions.touch(session)

        return guarded

    def _check_origin(self, request: Request) -> None:
        facts = request_facts(request.scope)
        allowed = may_change(
            origins=request.headers.getlist("origin"),
            sites=request.headers.getlist("sec-fetch-site"),
            own=parse_origin(f"{facts.scheme}://{facts.host}"),
            web_origin=self._web_origin,
        )
        if not allowed:
            raise OriginForbidden


def _with_sign_in_help(handler: Handler) -> Handler:
    async def helped(request: Request) -> Response:
        try:
            return await handler(request)
        except SessionRequired as error:
            help_ = SIGN_IN.format(prefix=request_facts(request.scope).prefix)
            raise type(error)(members={"ayuda": help_}) from error

    return helped


def session_of(request: Request) -> WebSession:
    """Return the session of a request that has passed the guard."""
    session: WebSession = request.state.session
    return session


def session_check_of(request: Request) -> Callable[[], None]:
    """Return a function that raises `SessionExpired` after the session's end, for long responses."""
    check: Callable[[], None] = request.state.check_session
    return check


def caller_of(request: Request) -> Caller:
    """Return the caller for the request's calls to the ERP."""
    caller: Caller = request.state.caller
    return caller


def _check_media_type(request: Request) -> None:
    """Refuse a body that is not JSON, even if the handler ignores it.

    Raises:
        UnsupportedMediaType: the body has another type.
    """
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMediaType
