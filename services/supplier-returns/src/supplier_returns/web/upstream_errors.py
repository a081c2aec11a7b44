# ruff: noqa: N818 - refusals are plain nouns
"""What goes wrong between the service and the ERP, where `servicekit.erp.errors` has other words or none."""

from servicekit.erp import errors as erp
from servicekit.errors import ServiceError


class ErpForbidden(ServiceError):
    """The signed-in ERP user lacks an authorisation; `authorization` names it where it is known."""

    status = 403
    code = "erp_forbidden"
    detail = "Su usuario no tiene autorización en el ERP para esta operación."


class UpstreamUnreachable(erp.UpstreamUnreachable):
    """The same; the text ends with the network code."""

    detail = "No se pudo conectar con el Service Layer"


class UpstreamConnectTimeout(UpstreamUnreachable):
    """The same, where the connection was not made in time (ETIMEDOUT)."""

    status = 504


class ErpUnavailable(erp.ErpUnavailable):
    """The same, in the words of `UpstreamUnreachable`."""

    detail = (
        f"{UpstreamUnreachable.detail} (ETIMEDOUT): no responde en este momento. "
        "La operación no se realizó; inténtelo de nuevo en unos segundos."
    )


class QueueIsFull(erp.QueueIsFull):
    """The same of the person's own queue."""

    detail = (
        "Hay demasiadas solicitudes suyas en espera del ERP. La operación no se realizó; "
        "inténtelo en unos segundos."
    )
