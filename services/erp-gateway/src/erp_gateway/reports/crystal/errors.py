# ruff: noqa: N818 - refusals are plain nouns
"""Errors of the report gateway as clients see them."""

from collections.abc import Iterable
from typing import Final

from erp_gateway.web.error_map import CallKind, upstream_service_error
from erp_gateway.web.upstream_errors import UpstreamForbidden, UpstreamLoginFailed
from erpclient import ErpError, ErpLoginRejected, ErpTimeout, ErpUnreachable, Phase, SessionEnded
from servicekit.erp.errors import (
    ClientGone,
    QueueIsFull,
    QueueWaitTooLong,
    UpstreamBusy,
    UpstreamFailed,
    UpstreamTimeout,
    UpstreamUnreachable,
    UpstreamUnreadable,
)
from servicekit.errors import NotFound, ServiceError


class ReportNotFound(NotFound):
    """No enabled report is registered under this code, or not for this screen."""

    code = "report_not_found"
    detail = "El informe no existe o no está disponible."


class ReportUnknown(NotFound):
    """The report gateway has no report with this code."""

    code = "report_unknown"
    detail = "La pasarela de informes no tiene un informe con este código."


class ReportObsolete(ServiceError):
    """The designer removed parameters of a report or changed their type. The text names them. Register the
    report again.

    Args:
        labels: their names for people.
    """

    status = 409
    code = "report_obsolete"
    detail = "El informe quedó obsoleto: en el diseñador ya no están sus parámetros."

    def __init__(self, labels: Iterable[str] = ()) -> None:
        quoted_labels = ", ".join(f"«{label}»" for label in labels)
        super().__init__(
            f"El informe quedó obsoleto: en el diseñador ya no está, o es de otro tipo, {quoted_labels}. "
            "Un administrador debe registrarlo de nuevo."
            if quoted_labels
            else None
        )


class ReportFailed(ServiceError):
    """The report gateway made no PDF: see [Reports](docs/reports-and-queries.md#crystal-reports)."""

    status = 502
    code = "report_failed"
    detail = "La pasarela de informes no pudo generar el PDF."


class DocumentFailed(ServiceError):
    """One of several documents could not be printed or joined. `errors` names it."""

    status = 502
    code = "document_failed"
    detail = "No se pudo imprimir uno de los documentos; no se entrega ninguno."


BLANK: Final = (
    "El documento salió en blanco: no existe, o no hay nada que imprimir en este formato. Revise el número."
)


class ReportEmpty(ServiceError):
    """These values give nothing to print, or the report gateway is overloaded: see
    [Reports](docs/reports-and-queries.md#crystal-reports). A missing document is `record_not_found`, unless
    `APIGATEWAY_CHECK_DOCUMENT` is off or the screen does not determine the resource.
    """

    status = 502
    code = "report_empty"
    detail = (
        "La pasarela de informes no devolvió el PDF: no hay nada que imprimir con estos valores, o la "
        "pasarela está sobrecargada. Revise los valores o inténtelo de nuevo en unos momentos."
    )


class GatewayUnreachable(UpstreamUnreachable):
    """No connection to the report gateway (network, DNS, TLS)."""

    status = 503


class GatewayConnectTimeout(UpstreamTimeout):
    """Connecting to the report gateway took too long."""

    status = 503


class GatewayLoginFailed(UpstreamLoginFailed):
    """The report gateway refuses the service's login: see
    [Reports](docs/reports-and-queries.md#crystal-reports).
    """

    status = 503
    retry_after_s = 60


_SENTENCES: Final[dict[type[ServiceError], str]] = {
    UpstreamForbidden: (
        "El usuario con que el servicio accede a la pasarela de informes no tiene autorización para informes."
    ),
    GatewayLoginFailed: (
        "La pasarela de informes no aceptó el inicio de sesión del servicio. Avise al administrador."
    ),
    GatewayUnreachable: "No se pudo conectar con la pasarela de informes. Inténtelo de nuevo.",
    UpstreamUnreachable: "Se perdió la conexión con la pasarela de informes. Inténtelo de nuevo.",
    UpstreamFailed: "La pasarela de informes falló. Inténtelo de nuevo en unos momentos.",
    UpstreamUnreadable: "La pasarela de informes dio una respuesta que no se puede interpretar.",
    UpstreamBusy: "La pasarela de informes está ocupada. Inténtelo de nuevo en unos segundos.",
    GatewayConnectTimeout: "La pasarela de informes no respondió a tiempo al conectar. Inténtelo de nuevo.",
    UpstreamTimeout: "La pasarela de informes no respondió a tiempo. Inténtelo de nuevo.",
    QueueIsFull: "Hay demasiados informes en espera. Inténtelo de nuevo en unos segundos.",
    QueueWaitTooLong: "El informe esperó demasiado su turno. Puede repetir la operación.",
}

UPSTREAM_ERRORS: Final[tuple[type[ServiceError], ...]] = (*_SENTENCES, ClientGone)
"""Errors of any call to the report gateway."""


def report_gateway_error(error: ErpError) -> ServiceError:
    """Map a failed call to a service error, with the ERP's codes and separate sentences.

    A failure that affects every call is 503: the reports are unavailable, but not the ERP.
    """
    service_error = _unavailable(error) or upstream_service_error(error, CallKind.READ)
    service_error.detail = _SENTENCES.get(type(service_error), service_error.detail)
    return service_error


def _unavailable(error: ErpError) -> ServiceError | None:
    if isinstance(error, ErpLoginRejected | SessionEnded):
        return GatewayLoginFailed()
    if isinstance(error, ErpUnreachable) and error.phase is Phase.CONNECT:
        return GatewayUnreachable()
    if isinstance(error, ErpTimeout) and error.phase is Phase.CONNECT:
        return GatewayConnectTimeout()
    return None
