# ruff: noqa: N818 - refusals are plain nouns
"""Why somebody is not let in, as the client is told."""

from servicekit.errors import ServiceError


class TooManySessions(ServiceError):
    """`MAX_SESSIONS` people are signed in, and none of these sessions is this user's own."""

    status = 503
    code = "too_many_sessions"
    detail = "Hay demasiadas sesiones abiertas. Inténtelo de nuevo cuando otra persona cierre la suya."
    retry_after_s = 60
