# ruff: noqa: N818 - refusals are plain nouns
"""Why somebody is not let in, as the client is told: never which part of the credentials was wrong.

And what administrators look for in vain.
"""

from servicekit.errors import ServiceError


class InvalidCredentials(ServiceError):
    """The one answer for an unknown user, a wrong password, and an inactive or ambiguous employee."""

    status = 401
    code = "invalid_credentials"
    detail = "El usuario o la contraseña no son correctos."


class TooManyAttempts(ServiceError):
    """The user or the address failed too often; `Retry-After` tells when to try again."""

    status = 429
    code = "too_many_attempts"
    detail = "Demasiados intentos fallidos. Espere unos minutos antes de volver a intentarlo."


class LoginBusy(ServiceError):
    """Too many logins of this user or address are being checked right now."""

    status = 503
    code = "login_busy"
    detail = (
        "Se están comprobando demasiados inicios de sesión a la vez. Inténtelo de nuevo en unos segundos."
    )


class EmployeeLookupRefused(ServiceError):
    """The ERP refuses to look up employees: the user fields are missing, or a right of the service user."""

    status = 502
    code = "employee_lookup_refused"
    detail = "El ERP no permite comprobar los usuarios web. Avise al administrador."


class SessionNotFound(ServiceError):
    """The web user has no session."""

    status = 404
    code = "session_not_found"
    detail = "Ese usuario web no tiene una sesión abierta."


class SessionEndNotStored(ServiceError):
    """The session is over here, but the store did not take it yet: it is tried again until it does."""

    status = 503
    code = "session_end_not_stored"
    title = "Service Unavailable"
    detail = (
        "La sesión quedó cerrada, pero aún no se pudo anotar. Se sigue intentando; si el servicio se "
        "interrumpe antes, la sesión podría volver a valer hasta su vencimiento."
    )


class LoginBlockNotFound(ServiceError):
    """The web user is not blocked for failed logins."""

    status = 404
    code = "login_block_not_found"
    detail = "Ese usuario web no está bloqueado por intentos fallidos."
