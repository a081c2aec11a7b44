# ruff: noqa: N818 - refusals are plain nouns
"""Errors of stored queries as clients see them."""

from typing import Final

from servicekit.errors import FieldProblem, InvalidBody, ServiceError

_TEXT: Final = "Las consultas guardadas del ERP no admiten comillas simples, & ni caracteres de control."


class UnqueryableText(InvalidBody):
    """A text contains a quote, `&` or a control character. SAP documents no way to escape them.

    Args:
        parameters: names of the query's parameters with such a text.
    """

    def __init__(self, *parameters: str) -> None:
        super().__init__(errors=[FieldProblem(f"params.{name}", _TEXT) for name in parameters])


class StoredQueryNotInstalled(ServiceError):
    """The ERP lacks the stored query or has an older version. `erp-gateway queries install` saves it."""

    status = 503
    code = "stored_query_not_installed"
    detail = "Esta consulta aún no está instalada en el ERP. Avise al administrador."
    retry_after_s = 60


class StoredQueryNewer(ServiceError):
    """The ERP has a newer version of the stored query than this program. It is never overwritten."""

    status = 503
    code = "stored_query_newer"
    detail = (
        "La consulta guardada en el ERP es de una versión más nueva que esta aplicación. "
        "Avise al administrador."
    )
    retry_after_s = 3600


class StoredQueryRejected(ServiceError):
    """The ERP refuses the text or a parameter, or its rows lack a declared column. The log has the reason."""

    status = 502
    code = "stored_query_rejected"
    detail = "El ERP no pudo ejecutar la consulta guardada. Avise al administrador."


STORED_QUERY_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    StoredQueryNotInstalled,
    StoredQueryNewer,
    StoredQueryRejected,
)
