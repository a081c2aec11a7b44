# ruff: noqa: N818 - the name of an error states the reason for the refusal
"""Errors of stored queries."""

from typing import Final

from servicekit.errors import ServiceError


class StoredQueryOutdated(ServiceError):
    """The installed query is older than this program's, and the user can't change it. No plan is made."""

    status = 503
    code = "stored_query_outdated"
    detail = (
        "La consulta guardada en el ERP es de una versión anterior y su usuario no puede actualizarla. "
        "Pida a un administrador que ingrese a esta aplicación y reconstruya los metadatos."
    )
    retry_after_s = 60


class StoredQueryNewer(ServiceError):
    """The installed query is newer than this program's. It is never overwritten."""

    status = 503
    code = "stored_query_newer"
    detail = (
        "La consulta guardada en el ERP es de una versión más nueva que esta aplicación. "
        "Pida al administrador que actualice la aplicación."
    )
    retry_after_s = 3600


class StoredQueryRejected(ServiceError):
    """The ERP's query analyser refuses a function, table, column or parameter. `upstream` has its text
    without the statement.
    """

    status = 502
    code = "stored_query_rejected"
    detail = "El ERP no acepta la consulta guardada."


class QueryIncomplete(ServiceError):
    """Some rows of a stored query may be missing. No plan is made."""

    status = 502
    code = "query_incomplete"
    detail = (
        "El ERP no entregó todos los datos de la consulta, y con una parte el plan sería incorrecto. "
        "Inténtelo de nuevo; si se repite, avise al administrador."
    )


class UnqueryableValue(ServiceError):
    """A code contains a quote or `&`, which stored queries can't accept."""

    status = 422
    code = "unqueryable_value"
    detail = "El código contiene un carácter (comilla o &) que las consultas guardadas del ERP no admiten."


STORED_QUERY_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    StoredQueryOutdated,
    StoredQueryNewer,
    StoredQueryRejected,
    QueryIncomplete,
    UnqueryableValue,
)
"""Possible errors of reading with a stored query, in addition to those of the ERP."""
