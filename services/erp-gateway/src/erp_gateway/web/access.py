"""Who may call an endpoint: the access kinds, and the guard that turns them into checks.

Access is a required argument of every endpoint, so forgetting it is a type error and not an open door.
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

from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult, Recorder
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.disconnects import Check
from erp_gateway.web.error_map import translating_errors
from erp_gateway.web.session import SessionExpired, SessionRequired, WebSession
from servicekit.endpoint import Endpoint, Handler, path_texts
from servicekit.request_log import request_facts
from servicekit.tasks import finish


class Access(Enum):
    """Kinds of access that need nothing but their name; the value is what the API's description says."""

    PUBLIC = "Public: no session needed."
    SESSION = "Any session."
    ADMIN = "Administrators only (permission `*`)."
    PROXY = "Session; the resource declares the menu routes for reading and for writing it."
    SCREEN = "Session with permission for the menu route named by `screen`."


@frozen
class MenuAccess:
    """Access for sessions whose permissions cover a menu route."""

    route: str


_SESSION: Final = "erp_gateway.session"
"""Where the guard leaves the session in the request's scope; read it with `session_of`."""

_IS_ADMIN: Final = "erp_gateway.is_admin"
"""Where the guard leaves whether that person is an administrator; read it with `is_admin_request`."""

_LASTING: Final = "erp_gateway.lasting"
"""Where the guard leaves what it checked; `lasting_right` checks it again."""

AccessKind: TypeAlias = Access | MenuAccess


class Permissions(Protocol):
    """What the guard asks about a web user; `people.permissions.service.PermissionService` answers it."""

    def is_admin(self, web_user: str) -> bool:
        """Tell whether the user's patterns contain `*`."""
        ...

    def allows(self, web_user: str, route: str) -> bool:
        """Tell whether the user may use the menu route."""
        ...


class WebSessions(Protocol):
    """The live sessions; `people.auth.sessions.WebSessionStore` holds them."""

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
    """Turns an endpoint's access kind into a check before its handler.

    The handler finds the signed-in person with `session_of`. A denial, the guard's own or one that the
    handler raises, is recorded as `permission_denied` before it is answered, or counted in a record before.

    Args:
        sessions: who the bearer tokens belong to.
        permissions: what web users may do.
        recorder: where denials are recorded.
        after_use: called with the session and the request's id after each request, whatever its outcome.
    """

    _sessions: WebSessions
    _permissions: Permissions
    _recorder: Recorder
    _after_use: Callable[[WebSession, str], None]

    def __call__(self, endpoint: Endpoint) -> Handler:
        """Return the endpoint's handler with its check before it.

        Raises:
            TypeError: the endpoint's access is none of the kinds.
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
            facts = request_facts(request.scope)
            facts.user = session.web_user
            request.scope[_SESSION] = session
            request.scope[_IS_ADMIN] = self._permissions.is_admin(session.web_user)
            request.scope[_LASTING] = partial(self._check_lasting, access, subject)
            try:
                self._check(access, subject, request)
                return await handler(request)
            except PermissionDenied as denied:
                # To its end, for the server cancels what a client asked who has left meanwhile.
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
        if self._sessions.find(session.web_user) != session:
            raise SessionExpired
        self._check(access, subject, request)
        for check in further:
            check()

    def _check(self, access: AccessKind, subject: str, request: Request) -> None:
        """Check what an access kind asks of everybody who has a session.

        Raises:
            PermissionDenied: naming `subject`, and the parameters of the path as its key.
        """
        web_user = session_of(request).web_user
        if isinstance(access, MenuAccess):
            permitted = self._permissions.allows(web_user, subject)
        else:
            permitted = access is not Access.ADMIN or self._permissions.is_admin(web_user)
        if not permitted:
            raise PermissionDenied(subject, key="/".join(path_texts(request)) or None)


def allows_one_of(permissions: Permissions, web_user: str, routes: Sequence[str]) -> bool:
    """Tell whether somebody may use one of these menu routes, or there are none to be asked for."""
    return not routes or any(permissions.allows(web_user, route) for route in routes)


def check_one_of(
    permissions: Permissions, web_user: str, routes: Sequence[str], *, key: str | None = None
) -> None:
    """Refuse a user who may use none of these menu routes.

    Args:
        permissions: what web users may do.
        web_user: the user.
        routes: any of them suffices.
        key: what the request was about, for the audit.

    Raises:
        PermissionDenied: naming the first route.
    """
    if not allows_one_of(permissions, web_user, routes):
        raise PermissionDenied(routes[0], key=key)


def session_of(request: Request) -> WebSession:
    """Return the signed-in person of a request that has passed the guard."""
    session: WebSession = request.scope[_SESSION]
    return session


def is_admin_request(request: Request) -> bool:
    """Tell whether the person of a request that has passed the guard was an administrator then."""
    is_admin: bool = request.scope[_IS_ADMIN]
    return is_admin


def lasting_right(request: Request, *further: Check) -> Check:
    """Return the check for an answer that lasts: that its session goes on, and still has the rights.

    Args:
        request: one that has passed the guard, whose own check is made again, too.
        further: what the handler checked besides.
    """
    check: Callable[[Request, Sequence[Check]], None] = request.scope[_LASTING]
    return partial(check, request, further)


def actor_of(request: Request) -> Actor:
    """Return who asks, as the audit records it."""
    facts = request_facts(request.scope)
    return Actor(web_user=session_of(request).web_user, ip=facts.client_ip, request_id=facts.request_id)


_CREDENTIALS: Final = re.compile(rb"bearer +([!-~]+)", re.IGNORECASE)
"""A scheme in any letter case, and spaces (RFC 9110, section 11.4)."""


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
