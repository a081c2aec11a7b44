# ruff: noqa: N818 - refusals are plain nouns
"""Errors of sign-in and sessions.

A rejected login never says which part of the credentials was wrong.
"""

from servicekit.errors import ServiceError


class EmployeeLookupRefused(ServiceError):
    """The ERP refuses to look up employees at login: the user fields or a right are missing."""

    status = 502
    code = "employee_lookup_refused"
    detail = "El ERP no permite comprobar los usuarios web. Avise al administrador."


class SessionNotFound(ServiceError):
    """The web user has no session."""

    status = 404
    code = "session_not_found"
    detail = "Ese usuario web no tiene una sesión abierta."


class SessionEndNotStored(ServiceError):
    """The session has ended, but the store has not accepted that yet: see
    [Sessions across restarts](docs/reliability.md#sessions-across-restarts).
    """

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
