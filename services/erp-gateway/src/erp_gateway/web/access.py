"""Access kinds of endpoints, and the guard that enforces them.

Every endpoint must declare its access, so a forgotten declaration is a type error and not an open endpoint.
"""

import re
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from http import HTTPMethod
from typing import Final, Protocol, TypeAlias

from attrs import define, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.values.audit_recorder import Recorder
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.disconnects import Check
from erp_gateway.web.error_map import translating_errors
from erp_gateway.web.session import SessionExpired, SessionRequired, WebSession
from servicekit.endpoint import Endpoint, Handler, path_texts
from servicekit.request_log import request_facts
from servicekit.tasks import finish


class Access(Enum):
    """Access kinds without further data. The API's description shows the value."""

    PUBLIC = "Public: no session needed."
    SESSION = "Any session."
    ADMIN = "Administrators only (permission `*`)."
    PROXY = "Session; the resource declares the menu routes for reading and for writing it."
    SCREEN = "Session with permission for the menu route named by `screen`."


@frozen
class MenuAccess:
    """Access for sessions whose permissions cover a menu route."""

    route: str


# Scope key of the session; read it with `session_of`.
_SESSION: Final = "erp_gateway.session"

# Scope key: whether the user is an administrator; read it with `is_admin_request`.
_IS_ADMIN: Final = "erp_gateway.is_admin"

# Scope key of the check that `lasting_right` repeats.
_LASTING: Final = "erp_gateway.lasting"

AccessKind: TypeAlias = Access | MenuAccess


class Permissions(Protocol):
    """The part of `people.permissions.service.PermissionService` that the guard uses."""

    def is_admin(self, web_user: str) -> bool:
        """Return whether the user's patterns contain `*`."""
        ...

    def allows(self, web_user: str, route: str) -> bool:
        """Return whether the user may use the menu route."""
        ...


class WebSessions(Protocol):
    """The part of `people.auth.sessions.WebSessionStore` that the guard uses."""

    def authenticate(self, token: str) -> WebSession:
        """Return the session of a bearer token and slide its timeout.

        Raises:
            SessionRequired: the text cannot be a token of this service.
            SessionExpired: the token is not, or no longer, valid.
            SessionReplaced: a newer login of the same user took its place.
        """
        ...

    def find(self, web_user: str) -> WebSession | None:
        """Return the live session of a web user, named exactly as in the ERP."""
        ...


@define(eq=False, repr=False)
class Guard:
    """Check an endpoint's access before its handler runs.

    The handler reads the session with `session_of`. A denial by the guard or by the handler is recorded as
    `permission_denied` before the response, or counted in an earlier record.

    Args:
        sessions: live sessions.
        permissions: of web users.
        recorder: records denials.
        after_use: called with the session and the request's id after each request, whatever its outcome.
    """

    _sessions: WebSessions
    _permissions: Permissions
    _recorder: Recorder
    _after_use: Callable[[WebSession, str], None]

    def __call__(self, endpoint: Endpoint) -> Handler:
        """Return the endpoint's handler with its check before it.

        Raises:
            TypeError: the endpoint declares no access kind.
        """
        handler = translating_errors(endpoint.handler)
        access = endpoint.access
        if access is Access.PUBLIC:
            return handler
        if not isinstance(access, Access | MenuAccess):
            raise TypeError(f"{endpoint.method} {endpoint.path} declares no access kind but {access!r}")
        subject = access.route if isinstance(access, MenuAccess) else endpoint.path

        async def guarded(request: Request) -> Response:
            session = self._sessions.authenticate(_bearer_token(request))
            web_user, facts = session.user.name, request_facts(request.scope)
            facts.user = web_user
            request.scope[_SESSION] = session
            request.scope[_IS_ADMIN] = self._permissions.is_admin(web_user)
            request.scope[_LASTING] = partial(self._check_lasting, access, subject)
            try:
                self._check(access, subject, web_user, request)
                return await handler(request)
            except PermissionDenied as denied:
                # The server cancels the handler of a client that disconnected. The audit record must still be
                # written.
                await finish(self._recorder.record(_denial(denied, request)))
                raise
            finally:
                self._after_use(session, facts.request_id)

        return guarded

    def _check_lasting(
        self,
        access: AccessKind,
        subject: str,
        request: Request,
        further: Sequence[Check],
    ) -> None:
        session = session_of(request)
        web_user = session.user.name
        if self._sessions.find(web_user) != session:
            raise SessionExpired
        self._check(access, subject, web_user, request)
        for check in further:
            check()

    def _check(self, access: AccessKind, subject: str, web_user: str, request: Request) -> None:
        """Check the access of a user with a session.

        Raises:
            PermissionDenied: with `subject`, and the path parameters as its key.
        """
        if isinstance(access, MenuAccess):
            permitted = self._permissions.allows(web_user, subject)
        else:
            permitted = access is not Access.ADMIN or self._permissions.is_admin(web_user)
        if not permitted:
            raise PermissionDenied(subject, key="/".join(path_texts(request)) or None)


def allows_one_of(permissions: Permissions, web_user: str, routes: Sequence[str]) -> bool:
    """Return whether a user may use one of these menu routes. Without routes, everyone may."""
    return not routes or any(permissions.allows(web_user, route) for route in routes)


def check_one_of(
    permissions: Permissions, web_user: str, routes: Sequence[str], *, key: str | None = None
) -> None:
    """Reject a user who may use none of these menu routes.

    Args:
        permissions: what web users may do.
        web_user: the user.
        routes: any of them suffices.
        key: key of the requested record, for the audit.

    Raises:
        PermissionDenied: it names the first route.
    """
    if not allows_one_of(permissions, web_user, routes):
        raise PermissionDenied(routes[0], key=key)


def session_of(request: Request) -> WebSession:
    """Return the session of a request that has passed the guard."""
    session: WebSession = request.scope[_SESSION]
    return session


def is_admin_request(request: Request) -> bool:
    """Return whether the user was an administrator when the request passed the guard."""
    is_admin: bool = request.scope[_IS_ADMIN]
    return is_admin


def lasting_right(request: Request, *further: Check) -> Check:
    """Return a check for responses that take long. It raises once the session ends or a right is removed.

    Args:
        request: one that has passed the guard; the guard's check is repeated too.
        further: checks that the handler made itself.
    """
    check: Callable[[Request, Sequence[Check]], None] = request.scope[_LASTING]
    return partial(check, request, further)


def actor_of(request: Request) -> Actor:
    """Return the user and client of a request, for the audit."""
    facts = request_facts(request.scope)
    return Actor(web_user=session_of(request).user.name, ip=facts.client_ip, request_id=facts.request_id)


# A scheme in any letter case, and spaces (RFC 9110, section 11.4).
_CREDENTIALS: Final = re.compile(rb"bearer +([!-~]+)", re.IGNORECASE)


def _bearer_token(request: Request) -> str:
    """Return the token of the one `Authorization: Bearer <token>` header.

    Raises:
        SessionRequired: there is no such header, or more than one.
    """
    found = [value for name, value in request.scope["headers"] if name == b"authorization"]
    match = _CREDENTIALS.fullmatch(found[0]) if len(found) == 1 else None
    if match is None:
        raise SessionRequired
    return match[1].decode("ascii")


def _denial(denied: PermissionDenied, request: Request) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.PERMISSION_DENIED,
        result=AuditResult.DENIED,
        actor=actor_of(request),
        resource=denied.subject,
        key=denied.key,
        detail=AuditDetail(method=HTTPMethod.__members__.get(request.method), references=denied.references),
        reason=denied.code,
    )
