# ruff: noqa: N818 - the name of an error states the reason for the refusal
"""Errors of this service for failed calls to the ERP."""

from typing import Final

from servicekit.erp import errors as erp
from servicekit.errors import ServiceError


class ErpForbidden(ServiceError):
    """The signed-in user lacks an authorization in the ERP. `authorization` names it if known."""

    status = 403
    code = "erp_forbidden"
    detail = "Su usuario no tiene autorización en el ERP para esta operación."


class UpstreamUnreachable(erp.UpstreamUnreachable):
    """The connection to the ERP failed. The text ends with the network code."""

    detail = "No se pudo conectar con el Service Layer"


class UpstreamConnectTimeout(UpstreamUnreachable):
    """The connection to the ERP timed out (`ETIMEDOUT`). Nothing was done."""

    status = 504


class ErpUnavailable(erp.ErpUnavailable):
    """The ERP does not reply, so the service does not call it. The text is that of `UpstreamUnreachable`."""

    detail = (
        f"{UpstreamUnreachable.detail} (ETIMEDOUT): no responde en este momento. "
        "La operación no se realizó; inténtelo de nuevo en unos segundos."
    )


class ReplyTooLarge(erp.ReplyTooLarge):
    """The ERP's response exceeds the limit. The client can't request less."""

    detail = "La respuesta del ERP es más grande que lo que este servicio admite. Avise al administrador."


class QueueIsFull(erp.QueueIsFull):
    """Too many requests of this user wait for the ERP."""

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
"""Possible errors of every call to the ERP."""

WRITE_ERRORS: Final[tuple[type[ServiceError], ...]] = (erp.OutcomeUnknown, erp.OutcomeUnknownTimeout)
"""Further possible errors of a write."""
