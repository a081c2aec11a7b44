# ruff: noqa: N818 - refusals are plain nouns
"""What can go wrong with a query, as clients are told. Hosts and SQL stay in the log."""

from typing import Final

from servicekit.erp.errors import QueueIsFull, QueueWaitTooLong
from servicekit.errors import FieldProblem, InvalidBody, NotConfigured, ServiceError, ShuttingDown

DOES_NOT_FIT: Final = "El número no cabe sin cambios en la columna con que se compara."


class QueryNotFound(ServiceError):
    """No query of this name is registered."""

    status = 404
    code = "query_not_found"
    detail = "No existe una consulta con ese nombre."


class NumberDoesNotFit(InvalidBody):
    """A number would be cut to fit the place that the query compares it with.

    Args:
        parameter: name of the query's parameter.
    """

    def __init__(self, parameter: str = "") -> None:
        super().__init__(errors=[FieldProblem(f"params.{parameter}", DOES_NOT_FIT)])
        self.parameter = parameter


class QueryOrderNotTotal(ServiceError):
    """Two rows share what the query declares to tell its rows apart; the log names query and columns."""

    status = 500
    code = "query_order_not_total"
    detail = (
        "La consulta no distingue todas sus filas, por lo que no se puede paginar. Avise al administrador."
    )


class QueryOptionsFailed(ServiceError):
    """A query gave rows that can't be choices of a parameter; the log names it and says why."""

    status = 500
    code = "query_options_failed"
    detail = "Las opciones de esta consulta tienen un error propio. Avise al administrador."


class UserFieldNotFound(ServiceError):
    """The table has no such user-defined field."""

    status = 404
    code = "user_field_not_found"
    detail = "La tabla no tiene ese campo de usuario."


class DatabaseUnreachable(ServiceError):
    """No connection to the database: network, DNS or TLS."""

    status = 503
    code = "database_unreachable"
    detail = "No se pudo conectar con la base de datos del ERP. Inténtelo de nuevo en unos momentos."


class DatabaseConnectionLost(DatabaseUnreachable):
    """The connection to the database broke while a query was answered."""

    status = 502
    detail = "Se perdió la conexión con la base de datos del ERP. Inténtelo de nuevo en unos momentos."


class DatabaseLoginFailed(ServiceError):
    """The database refuses the service's own login."""

    status = 503
    retry_after_s = 60
    code = "database_login_failed"
    detail = "La base de datos del ERP no aceptó el inicio de sesión del servicio. Avise al administrador."


class DatabaseFailed(ServiceError):
    """The database refused the query: a missing table or right, a value it can't convert, its own fault."""

    status = 502
    code = "database_failed"
    detail = "La base de datos del ERP no pudo ejecutar la consulta. Avise al administrador."


class UnknownColumn(DatabaseFailed):
    """The same, because a named column does not exist."""


class UnknownTable(DatabaseFailed):
    """The same, because a named table does not exist."""


class ResultTooLarge(ServiceError):
    """The texts and binaries of the answer are more than the service holds in memory."""

    status = 502
    code = "query_result_too_large"
    detail = "El resultado de la consulta es demasiado grande."


class DatabaseBusy(ServiceError):
    """The database asks to come back later: locks, no memory, starting up."""

    status = 503
    code = "database_busy"
    detail = "La base de datos del ERP está ocupada. Inténtelo de nuevo en unos segundos."


class DatabaseDriverMissing(ServiceError):
    """The engine's driver is not installed beside the service."""

    status = 503
    code = "database_driver_missing"
    detail = "El servicio no tiene instalado el controlador de la base de datos. Avise al administrador."
    retry_after_s = 3600
    caused_by = (
        "hdbcli is not installed; SAP's licence keeps it out of the published image: build one with "
        "WITH_HANA=1, or install erp-gateway[hana]"
    )


class DatabaseTimeout(ServiceError):
    """The query ran into its time limit and was cancelled on the server."""

    status = 504
    code = "database_timeout"
    detail = "La consulta superó el tiempo máximo y fue cancelada."


class DatabaseConnectTimeout(DatabaseTimeout):
    """Connecting took too long; the query was not run."""

    status = 503
    detail = (
        "La base de datos del ERP no respondió a tiempo al conectar, y la consulta no se ejecutó. "
        "Inténtelo de nuevo en unos momentos."
    )


DATABASE_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    NotConfigured,
    ShuttingDown,
    QueueIsFull,
    QueueWaitTooLong,
    DatabaseBusy,
    DatabaseConnectTimeout,
    DatabaseConnectionLost,
    DatabaseDriverMissing,
    DatabaseFailed,
    DatabaseLoginFailed,
    DatabaseTimeout,
    DatabaseUnreachable,
    ResultTooLarge,
)
"""What any read of the database may end with."""
