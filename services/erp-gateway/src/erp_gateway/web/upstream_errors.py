# ruff: noqa: N818 - refusals are plain nouns
"""Client-facing errors of calls to the ERP."""

from typing import Final

from servicekit.erp import errors as erp
from servicekit.errors import ServiceError, ShuttingDown


class MaybeInApproval(ServiceError):
    """The ERP created no document, but an approval procedure may have kept it as a draft. Look there before
    you repeat the request.
    """

    status = 400
    code = "maybe_in_approval"
    detail = (
        "El ERP no creó el documento. Es posible que un procedimiento de autorización lo haya guardado "
        "como borrador: revise los borradores pendientes de autorización antes de enviarlo de nuevo."
    )


class StaleEtag(ServiceError):
    """The record changed since its tag was read (for a partner, also through its documents). Read it again
    and decide again.
    """

    status = 412
    code = "stale_etag"
    detail = (
        "El registro cambió desde que usted lo leyó. Vuelva a leerlo y repita el cambio si aún corresponde."
    )


class UpstreamForbidden(ServiceError):
    """The ERP user of the gateway lacks a right. For reports: the authorization for the report gateway."""

    status = 502
    code = "upstream_forbidden"
    detail = "El usuario con que el servicio accede al ERP no tiene autorización para esta operación."


class UpstreamLoginFailed(ServiceError):
    """The ERP refuses the gateway's login: see
    [operations](docs/operate.md#a-new-password-for-the-erp-user). It is never 401, which would tell the
    web user to sign in again.
    """

    status = 502
    code = "upstream_login_failed"
    detail = "El ERP no aceptó el inicio de sesión del servicio. Avise al administrador."


class UpstreamKeyUnsupported(ServiceError):
    """The web server in front of the ERP rejects a slash in the key of a write. Nothing was done."""

    status = 502
    code = "upstream_key_unsupported"
    detail = (
        "El servidor del ERP no admite claves con barras en una modificación. "
        "La operación no se realizó; debe hacerse directamente en el ERP."
    )


class OutcomeUnknown(erp.OutcomeUnknown):
    """Unknown outcome of a write, with the advice to look in the ERP."""

    detail = (
        "No se recibió la respuesta del ERP y no se sabe si la operación se realizó. "
        "Compruébelo en el ERP antes de repetirla."
    )


class OutcomeUnknownTimeout(OutcomeUnknown):
    """Unknown outcome of a write after a timeout."""

    status = 504


UPSTREAM_REFUSALS: Final[tuple[type[ServiceError], ...]] = (
    erp.UpstreamRejected,
    erp.UpstreamConflict,
    UpstreamForbidden,
    StaleEtag,
)
"""Refusals that any call to the ERP may get."""

UPSTREAM_FAILURES: Final[tuple[type[ServiceError], ...]] = (
    UpstreamLoginFailed,
    erp.UpstreamUnreachable,
    erp.UpstreamFailed,
    erp.UpstreamUnreadable,
    erp.ReplyTooLarge,
    erp.UpstreamBusy,
    erp.UpstreamTimeout,
    erp.ErpUnavailable,
    erp.QueueIsFull,
    erp.QueueWaitTooLong,
    erp.ClientGone,
    ShuttingDown,
)
"""Other failures of any call to the ERP; a write may end as `OutcomeUnknown` instead."""
