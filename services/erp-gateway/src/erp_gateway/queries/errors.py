# ruff: noqa: N818 - refusals are plain nouns
"""Errors of queries as clients see them. Hosts and SQL only appear in the log."""

from typing import Final

from servicekit.erp.errors import QueueIsFull, QueueWaitTooLong
from servicekit.errors import FieldProblem, InvalidBody, NotConfigured, ServiceError, ShuttingDown

DOES_NOT_FIT: Final = "El número no cabe sin cambios en la columna con que se compara."


class QueryNotFound(ServiceError):
    """No database query of this name is registered."""

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
    """Two rows of a query's page share the columns of its `total_order`. The log names query and columns."""

    status = 500
    code = "query_order_not_total"
    detail = (
        "La consulta no distingue todas sus filas, por lo que no se puede paginar. Avise al administrador."
    )


class QueryOptionsFailed(ServiceError):
    """The rows of a query can't be options of another query's parameter. The log names both."""

    status = 500
    code = "query_options_failed"
    detail = "Las opciones de esta consulta tienen un error propio. Avise al administrador."


class UserFieldNotFound(ServiceError):
    """The table has no such user-defined field."""

    status = 404
    code = "user_field_not_found"
    detail = "La tabla no tiene ese campo de usuario."


class DatabaseUnreachable(ServiceError):
    """No connection to the ERP's database (network, DNS, TLS)."""

    status = 503
    code = "database_unreachable"
    detail = "No se pudo conectar con la base de datos del ERP. Inténtelo de nuevo en unos momentos."


class DatabaseConnectionLost(DatabaseUnreachable):
    """The connection to the ERP's database broke while it was read."""

    status = 502
    detail = "Se perdió la conexión con la base de datos del ERP. Inténtelo de nuevo en unos momentos."


class DatabaseLoginFailed(ServiceError):
    """The ERP's database refuses the service's login."""

    status = 503
    retry_after_s = 60
    code = "database_login_failed"
    detail = "La base de datos del ERP no aceptó el inicio de sesión del servicio. Avise al administrador."


class DatabaseFailed(ServiceError):
    """The ERP's database refused the query. The log has the error number."""

    status = 502
    code = "database_failed"
    detail = "La base de datos del ERP no pudo ejecutar la consulta. Avise al administrador."


class UnknownColumn(DatabaseFailed):
    """The statement names a column that does not exist."""


class UnknownTable(DatabaseFailed):
    """The statement names a table that does not exist."""


class ResultTooLarge(ServiceError):
    """The texts and binaries of the result exceed 64 MiB. The query needs a lower row limit."""

    status = 502
    code = "query_result_too_large"
    detail = "El resultado de la consulta es demasiado grande."


class DatabaseBusy(ServiceError):
    """The ERP's database asks for a later retry: locks, no memory, starting up."""

    status = 503
    code = "database_busy"
    detail = "La base de datos del ERP está ocupada. Inténtelo de nuevo en unos segundos."


class DatabaseDriverMissing(ServiceError):
    """SAP's [driver](docs/install.md#hana) is not installed."""

    status = 503
    code = "database_driver_missing"
    detail = "El servicio no tiene instalado el controlador de la base de datos. Avise al administrador."
    retry_after_s = 3600
    caused_by = (
        "hdbcli is not installed; SAP's licence keeps it out of the published image: build one with "
        "WITH_HANA=1, or install erp-gateway[hana]"
    )


class DatabaseTimeout(ServiceError):
    """The query took longer than `ERPDB_TIMEOUT`."""

    status = 504
    code = "database_timeout"
    detail = "La consulta superó el tiempo máximo y fue cancelada."


class DatabaseConnectTimeout(DatabaseTimeout):
    """Connecting to the ERP's database took longer than `ERPDB_CONNECT_TIMEOUT`. The query did not run."""

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
"""Errors of any read of the database."""
