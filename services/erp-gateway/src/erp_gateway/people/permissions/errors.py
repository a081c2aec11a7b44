# ruff: noqa: N818 - refusals are plain nouns
"""Refusals of a permission change."""

from servicekit.errors import ServiceError


class LastAdministrator(ServiceError):
    """The change would leave no holder of `*` who can sign in: an active employee at the last lookup, or a
    user who has signed in.
    """

    status = 409
    code = "last_administrator"
    detail = (
        "No se puede quitar el acceso total al último administrador. "
        "Nombre antes a otro que pueda iniciar sesión."
    )


class ReservedUser(ServiceError):
    """The web user's name is reserved for the service itself, such as `cli`. Nobody can sign in with it."""

    status = 400
    code = "reserved_user"
    detail = "Ese nombre está reservado para el propio servicio: nadie puede iniciar sesión con él."


class PermissionsNotFound(ServiceError):
    """The web user has no permissions."""

    status = 404
    code = "permissions_not_found"
    detail = "Ese usuario web no tiene permisos registrados."
