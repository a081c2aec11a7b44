# ruff: noqa: N818 - refusals are plain nouns
"""What failed calls to the ERP become for a client."""

from typing import Final

from servicekit.erp import errors as erp
from servicekit.errors import ServiceError


class ErpForbidden(ServiceError):
    """The signed-in user lacks an authorization in the ERP. `authorization` names it if known."""

    status = 403
    code = "erp_forbidden"
    detail = "Su usuario no tiene autorización en el ERP para esta operación."


class UpstreamUnreachable(erp.UpstreamUnreachable):
    """The same; the text ends with the network code."""

    detail = "No se pudo conectar con el Service Layer"


class UpstreamConnectTimeout(UpstreamUnreachable):
    """The connection to the ERP was not made in time (`ETIMEDOUT`). Nothing was done."""

    status = 504


class ErpUnavailable(erp.ErpUnavailable):
    """The same, in the words of `UpstreamUnreachable`."""

    detail = (
        f"{UpstreamUnreachable.detail} (ETIMEDOUT): no responde en este momento. "
        "La operación no se realizó; inténtelo de nuevo en unos segundos."
    )


class ReplyTooLarge(erp.ReplyTooLarge):
    """The same, where nobody can ask for less."""

    detail = "La respuesta del ERP es más grande que lo que este servicio admite. Avise al administrador."


class QueueIsFull(erp.QueueIsFull):
    """The same of the person's own queue."""

    detail = (
        "Hay demasiadas solicitudes suyas en espera del ERP. La operación no se realizó; "
        "inténtelo en unos segundos."
    )


ERP_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    erp.UpstreamRejected,
    ErpForbidden,
    erp.RecordNotFound,
    erp.UpstreamConflict,
    UpstreamUnreachable,
    erp.UpstreamFailed,
    erp.UpstreamUnreadable,
    ReplyTooLarge,
    erp.UpstreamBusy,
    QueueIsFull,
    erp.QueueWaitTooLong,
    erp.ClientGone,
    ErpUnavailable,
    UpstreamConnectTimeout,
    erp.UpstreamTimeout,
)
"""What the ERP's trouble is told as, whatever was asked of it."""

WRITE_ERRORS: Final[tuple[type[ServiceError], ...]] = (erp.OutcomeUnknown, erp.OutcomeUnknownTimeout)
"""What a write may end as besides."""
