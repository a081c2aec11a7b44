# ruff: noqa: N818 - refusals are plain nouns
"""Refusals of a permission change."""

from servicekit.errors import ServiceError


class LastAdministrator(ServiceError):
    """The change would leave nobody with `*`."""

    status = 409
    code = "last_administrator"
    detail = "No se puede quitar el acceso total al último administrador. Nombre antes a otro administrador."


class PermissionsNotFound(ServiceError):
    """The web user has no permissions entry."""

    status = 404
    code = "permissions_not_found"
    detail = "Ese usuario web no tiene permisos registrados."
