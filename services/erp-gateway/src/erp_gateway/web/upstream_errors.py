# ruff: noqa: N818 - refusals are plain nouns
"""What goes wrong between the gateway and the ERP, beside what `servicekit.erp.errors` has."""

from typing import Final

from servicekit.erp import errors as erp
from servicekit.erp.errors import (
    ClientGone,
    ErpUnavailable,
    QueueIsFull,
    QueueWaitTooLong,
    UpstreamBusy,
    UpstreamConflict,
    UpstreamFailed,
    UpstreamRejected,
    UpstreamTimeout,
    UpstreamUnreachable,
    UpstreamUnreadable,
)
from servicekit.errors import ServiceError, ShuttingDown


class MaybeInApproval(ServiceError):
    """The ERP refused a new document with the code it also uses when an approval procedure caught it."""

    status = 400
    code = "maybe_in_approval"
    detail = (
        "El ERP no creó el documento. Es posible que un procedimiento de autorización lo haya guardado "
        "como borrador: revise los borradores pendientes de autorización antes de enviarlo de nuevo."
    )


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


class UpstreamKeyUnsupported(ServiceError):
    """The web server before the ERP does not take this key in a path, so the record cannot be written."""

    status = 502
    code = "upstream_key_unsupported"
    detail = (
        "El servidor del ERP no admite claves con barras en una modificación. "
        "La operación no se realizó; debe hacerse directamente en el ERP."
    )


class OutcomeUnknown(erp.OutcomeUnknown):
    """The same, with where to look."""

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
