# ruff: noqa: N818 - refusals are plain nouns
"""The guard: checks every request before its handler."""

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
    """Turns an endpoint's access kind into a check before its handler.

    The handler finds the signed-in person with `session_of(request)` and whom to call the ERP for with
    `caller_of(request)`; what its calls cost goes into the request's log line. When the ERP no longer knows
    the person's session, the web session ends with it.

    Args:
        sessions: who the cookies belong to.
        web_origin: origin of a web application that is served elsewhere.
    """

    def __init__(self, sessions: WebSessionStore, web_origin: Origin | None) -> None:
        self._sessions = sessions
        self._web_origin = web_origin

    def __call__(self, endpoint: Endpoint) -> Handler:
        """Return the endpoint's handler with its check before it.

        Raises:
            TypeError: the endpoint's access is none of the kinds.
        """
        if not isinstance(endpoint.access, Access):
            raise TypeError(
                f"{endpoint.method} {endpoint.path} declares no access kind but {endpoint.access!r}"
            )
        handler = translating_errors(endpoint.handler)
        inside = handler if endpoint.access is Access.PUBLIC else self._with_session(handler)
        if endpoint.access is Access.DESCRIPTION:
            inside = _with_sign_in_help(inside)
        if endpoint.method in SAFE_METHODS:
            return inside

        async def guarded(request: Request) -> Response:
            self._check_origin(request)
            _check_media_type(request)
            return await inside(request)

        return guarded

    def _with_session(self, handler: Handler) -> Handler:
        sessions = self._sessions

        async def guarded(request: Request) -> Response:
            session = sessions.authenticate(session_cookies(request))
            request_facts(request.scope).user = session.user.code
            request.state.session = session
            request.state.check_session = partial(sessions.check_live, session)
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
    """Return the signed-in person of a request that has passed the guard."""
    session: WebSession = request.state.session
    return session


def session_check_of(request: Request) -> Callable[[], None]:
    """Return what raises `SessionExpired` once the session of a request has ended, for answers that last."""
    check: Callable[[], None] = request.state.check_session
    return check


def caller_of(request: Request) -> Caller:
    """Return for whom the request's calls to the ERP are made."""
    caller: Caller = request.state.caller
    return caller


def _check_media_type(request: Request) -> None:
    """Refuse a body that is no JSON, also where the handler would not look at it.

    Raises:
        UnsupportedMediaType: there is a body, of another type.
    """
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMediaType
