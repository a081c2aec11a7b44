# ruff: noqa: N818 - refusals are plain nouns
"""What can be wrong with the stored queries, as the client is told."""

from typing import Final

from servicekit.errors import ServiceError


class StoredQueryOutdated(ServiceError):
    """The installed version is older than ours and this user may not change it: no plan is made with it."""

    status = 503
    code = "stored_query_outdated"
    detail = (
        "La consulta guardada en el ERP es de una versión anterior y su usuario no puede actualizarla. "
        "Pida a un administrador que ingrese a esta aplicación y reconstruya los metadatos."
    )
    retry_after_s = 60


class StoredQueryNewer(ServiceError):
    """The installed version is newer than ours; it is never overwritten."""

    status = 503
    code = "stored_query_newer"
    detail = (
        "La consulta guardada en el ERP es de una versión más nueva que esta aplicación. "
        "Pida al administrador que actualice la aplicación."
    )
    retry_after_s = 3600


class StoredQueryRejected(ServiceError):
    """The Service Layer's analyser refuses a function, a table, a column or a parameter of a query."""

    status = 502
    code = "stored_query_rejected"
    detail = "El ERP no acepta la consulta guardada."


class QueryIncomplete(ServiceError):
    """The ERP's answer can't be proved to hold every row, so nothing is made of it."""

    status = 502
    code = "query_incomplete"
    detail = (
        "El ERP no entregó todos los datos de la consulta, y con una parte el plan sería incorrecto. "
        "Inténtelo de nuevo; si se repite, avise al administrador."
    )


class UnqueryableValue(ServiceError):
    """A code holds a character that can't be told to a stored query."""

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
"""What reading with a stored query may end in, beside the ERP's own trouble."""
