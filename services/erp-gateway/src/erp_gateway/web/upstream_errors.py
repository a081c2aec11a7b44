# ruff: noqa: N818 - refusals are plain nouns
"""What went wrong between the gateway and the ERP, as clients are told; `error_map` decides which applies.

Texts are for people and say what to do next; the ERP's own words travel beside them as `upstream`.
"""

from typing import Final

from servicekit.errors import ServiceError, ShuttingDown


class UpstreamRejected(ServiceError):
    """The ERP read the request and refused it: a business rule, an unknown field, a missing value."""

    status = 400
    code = "upstream_rejected"
    detail = "El ERP rechazó la operación. No se realizó ningún cambio."


class MaybeInApproval(ServiceError):
    """The ERP refused a new document with the code it also uses when an approval procedure caught it."""

    status = 400
    code = "maybe_in_approval"
    detail = (
        "El ERP no creó el documento. Es posible que un procedimiento de autorización lo haya guardado "
        "como borrador: revise los borradores pendientes de autorización antes de enviarlo de nuevo."
    )


class RecordNotFound(ServiceError):
    """The ERP has no record under this key."""

    status = 404
    code = "record_not_found"
    detail = "El registro no existe en el ERP."


class UpstreamConflict(ServiceError):
    """The ERP reports a conflict with the present state of the record."""

    status = 409
    code = "upstream_conflict"
    detail = "La operación entra en conflicto con el estado actual del registro en el ERP."


class StaleEtag(ServiceError):
    """The record changed since its entity tag was read."""

    status = 412
    code = "stale_etag"
    detail = (
        "El registro cambió desde que usted lo leyó. Vuelva a leerlo y repita el cambio si aún corresponde."
    )


class UpstreamForbidden(ServiceError):
    """The ERP user of the gateway lacks a right; nothing the web user can change."""

    status = 502
    code = "upstream_forbidden"
    detail = "El usuario con que el servicio accede al ERP no tiene autorización para esta operación."


class UpstreamLoginFailed(ServiceError):
    """The ERP refuses the gateway's own login. Never 401, which would tell the web user to sign in again."""

    status = 502
    code = "upstream_login_failed"
    detail = "El ERP no aceptó el inicio de sesión del servicio. Avise al administrador."


class UpstreamUnreachable(ServiceError):
    """No connection to the ERP: network, DNS or TLS. Nothing was done."""

    status = 502
    code = "upstream_unreachable"
    detail = "No se pudo conectar con el ERP. La operación no se realizó; puede repetirla."


class ErpUnavailable(ServiceError):
    """The ERP is known to give no answers; nothing was sent. The health route tells other reasons, too."""

    status = 503
    code = "erp_unavailable"
    detail = (
        "El ERP no responde en este momento. La operación no se realizó; inténtelo de nuevo en unos segundos."
    )
    retry_after_s = 5


class UpstreamFailed(ServiceError):
    """The ERP, or the balancer before it, failed."""

    status = 502
    code = "upstream_failed"
    detail = "El ERP falló al atender la solicitud. Inténtelo de nuevo en unos momentos."


class UpstreamUnreadable(ServiceError):
    """The ERP's answer is not what its protocol promises."""

    status = 502
    code = "upstream_unreadable"
    detail = "El ERP dio una respuesta que no se puede interpretar."


class UpstreamKeyUnsupported(ServiceError):
    """The web server before the ERP does not take this key in a path, so the record cannot be written."""

    status = 502
    code = "upstream_key_unsupported"
    detail = (
        "El servidor del ERP no admite claves con barras en una modificación. "
        "La operación no se realizó; debe hacerse directamente en el ERP."
    )


class UpstreamBusy(ServiceError):
    """The ERP asks to come back later; nothing was done."""

    status = 503
    code = "upstream_busy"
    detail = "El ERP está ocupado. La operación no se realizó; inténtelo de nuevo en unos segundos."


class QueueIsFull(ServiceError):
    """Too many requests wait for the ERP, in all or of this user; nothing was sent."""

    status = 503
    code = "queue_full"
    detail = (
        "Hay demasiadas solicitudes en espera del ERP. La operación no se realizó; "
        "inténtelo en unos segundos."
    )


class QueueWaitTooLong(ServiceError):
    """The request waited for the ERP as long as it may; nothing was sent."""

    status = 503
    code = "queue_timeout"
    detail = (
        "La solicitud esperó demasiado su turno ante el ERP. La operación no se realizó; puede repetirla."
    )


class ClientGone(ServiceError):
    """The client left while its request was waiting; nothing was sent, and nobody reads this."""

    status = 503
    code = "client_gone"
    detail = "La conexión se cerró antes de atender la solicitud. La operación no se realizó."


class UpstreamTimeout(ServiceError):
    """The ERP did not answer in time. Of a write it means that it surely was not done."""

    status = 504
    code = "upstream_timeout"
    detail = "El ERP no respondió a tiempo. Inténtelo de nuevo en unos momentos."


class OutcomeUnknown(ServiceError):
    """A write was sent, and no readable answer came back: it may have been done."""

    status = 502
    code = "outcome_unknown"
    detail = (
        "No se recibió la respuesta del ERP y no se sabe si la operación se realizó. "
        "Compruébelo en el ERP antes de repetirla."
    )


class OutcomeUnknownTimeout(OutcomeUnknown):
    """The same, where the answer did not come in time."""

    status = 504


UPSTREAM_REFUSALS: Final[tuple[type[ServiceError], ...]] = (
    UpstreamRejected,
    UpstreamConflict,
    UpstreamForbidden,
    StaleEtag,
)
"""How the ERP may refuse any call."""

UPSTREAM_FAILURES: Final[tuple[type[ServiceError], ...]] = (
    UpstreamLoginFailed,
    UpstreamUnreachable,
    UpstreamFailed,
    UpstreamUnreadable,
    UpstreamBusy,
    UpstreamTimeout,
    ErpUnavailable,
    QueueIsFull,
    QueueWaitTooLong,
    ClientGone,
    ShuttingDown,
)
"""How any call to the ERP may fail otherwise; a write may end as `OutcomeUnknown` instead."""
