# ruff: noqa: N818 - refusals are plain nouns
"""Refusals of a permission change."""

from servicekit.errors import ServiceError


class LastAdministrator(ServiceError):
    """The change would leave no holder of `*` who can sign in."""

    status = 409
    code = "last_administrator"
    detail = (
        "No se puede quitar el acceso total al último administrador. "
        "Nombre antes a otro que pueda iniciar sesión."
    )


class ReservedUser(ServiceError):
    """The name belongs to the service itself, so nobody can sign in with it."""

    status = 400
    code = "reserved_user"
    detail = "Ese nombre está reservado para el propio servicio: nadie puede iniciar sesión con él."


class PermissionsNotFound(ServiceError):
    """The web user has no permissions entry."""

    status = 404
    code = "permissions_not_found"
    detail = "Ese usuario web no tiene permisos registrados."
