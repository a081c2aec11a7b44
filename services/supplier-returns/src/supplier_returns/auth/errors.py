# ruff: noqa: N818 - refusals are plain nouns
"""Why somebody is not let in, as the client is told."""

from servicekit.errors import ServiceError


class InvalidCredentials(ServiceError):
    """The ERP does not take this user and password; it was asked once."""

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
