# ruff: noqa: N818 - the name of an error states the reason for the refusal
"""Reasons why a request has no session."""

from servicekit.errors import ServiceError


class SessionRequired(ServiceError):
    """The session cookie is missing or malformed. The text is `Debe iniciar sesión`. On the pages of the
    API's description `ayuda` says how to sign in.
    """

    status = 401
    code = "session_required"
    detail = "Debe iniciar sesión"


class SessionExpired(SessionRequired):
    """The session ended: unused too long, a restart, or unknown to the ERP.

    The text and `ayuda` are those of `session_required`.
    """

    code = "session_expired"


class TooManySessions(ServiceError):
    """`MAX_SESSIONS` users are signed in."""

    status = 503
    code = "too_many_sessions"
    detail = "Hay demasiadas sesiones abiertas. Inténtelo de nuevo cuando otra persona cierre la suya."
    retry_after_s = 60
