# ruff: noqa: N818 - refusals are plain nouns
"""Why a request has no session."""

from servicekit.errors import ServiceError


class SessionRequired(ServiceError):
    """There is no session cookie, or its text cannot be one of ours."""

    status = 401
    code = "session_required"
    detail = "Debe iniciar sesión"


class SessionExpired(SessionRequired):
    """The session is over: too long unused, ended by a restart, or no longer known to the ERP."""

    code = "session_expired"


class TooManySessions(ServiceError):
    """`MAX_SESSIONS` people are signed in, and none of these sessions is this user's own."""

    status = 503
    code = "too_many_sessions"
    detail = "Hay demasiadas sesiones abiertas. Inténtelo de nuevo cuando otra persona cierre la suya."
    retry_after_s = 60
