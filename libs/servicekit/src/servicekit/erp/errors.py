# ruff: noqa: N818 - refusals are plain nouns
"""Errors between a service and the ERP, as clients see them.

Texts are for people and say what to do next; the ERP's own words travel beside them as `upstream`. A service
derives from a class where it has other words for the same.
"""

from collections.abc import Mapping
from typing import Final

from erpclient import (
    CallerGone,
    ErpError,
    ErpRefused,
    ErpReplyTooLarge,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    QueueClosed,
    QueueFull,
    QueueTimeout,
)
from servicekit.errors import ServiceError, ShuttingDown, Upstream


class InvalidCredentials(ServiceError):
    """The user or the password is wrong; the answer does not say which."""

    status = 401
    code = "invalid_credentials"
    detail = "El usuario o la contraseña no son correctos."


class TooManyAttempts(ServiceError):
    """The user or the address failed too often; `Retry-After` tells when to try again."""

    status = 429
    code = "too_many_attempts"
    detail = "Demasiados intentos fallidos. Espere unos minutos antes de volver a intentarlo."


class LoginBusy(ServiceError):
    """Too many logins of this user or address are being checked right now."""

    status = 503
    code = "login_busy"
    detail = (
        "Se están comprobando demasiados inicios de sesión a la vez. Inténtelo de nuevo en unos segundos."
    )


class UpstreamRejected(ServiceError):
    """The ERP read the request and refused it: a business rule, an unknown field, a missing value."""

    status = 400
    code = "upstream_rejected"
    detail = "El ERP rechazó la operación. No se realizó ningún cambio."


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


class UpstreamUnreachable(ServiceError):
    """No connection to the ERP: network, DNS or TLS. Nothing was done."""

    status = 502
    code = "upstream_unreachable"
    detail = "No se pudo conectar con el ERP. La operación no se realizó; puede repetirla."


class ErpUnavailable(ServiceError):
    """The ERP does not answer at present; nothing was sent."""

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


class ReplyTooLarge(ServiceError):
    """The ERP's answer is larger than what a service reads of one."""

    status = 502
    code = "reply_too_large"
    detail = (
        "La respuesta del ERP es más grande que lo que este servicio admite. Pida menos campos ($select) o "
        "menos filas ($top)."
    )


class UpstreamBusy(ServiceError):
    """The ERP is busy; nothing was done."""

    status = 503
    code = "upstream_busy"
    detail = "El ERP está ocupado. La operación no se realizó; inténtelo de nuevo en unos segundos."


class QueueIsFull(ServiceError):
    """Too many requests wait for the ERP; nothing was sent."""

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
    """The client disconnected while its request waited; nothing was sent."""

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
        "Compruébelo antes de repetirla."
    )


class OutcomeUnknownTimeout(OutcomeUnknown):
    """The same, where the answer did not come in time."""

    status = 504


ANSWERS: Final[Mapping[type[ErpError], type[ServiceError]]] = {
    ErpUnreachable: UpstreamUnreachable,
    ErpTimeout: UpstreamTimeout,
    ErpUnwell: ErpUnavailable,
    ErpReplyUnreadable: UpstreamUnreadable,
    ErpReplyTooLarge: ReplyTooLarge,
    QueueFull: QueueIsFull,
    QueueTimeout: QueueWaitTooLong,
    QueueClosed: ShuttingDown,
    CallerGone: ClientGone,
}
"""How a call to the ERP fails; what a refused login means is each service's own."""


def failed_call(error: ErpError, answers: Mapping[type[ErpError], type[ServiceError]]) -> ServiceError:
    """Return the error for a failed read of the ERP that was not refused.

    Raises:
        TypeError: No answer is declared for this kind.
    """
    for kind in type(error).__mro__:
        if kind in answers:
            return answers[kind]()
    raise TypeError(f"no answer is declared for {type(error).__name__}") from error


def upstream_of(error: ErpError) -> Upstream | None:
    """Return the ERP's own code and text, where an answer of its own had them."""
    if isinstance(error, ErpRefused | ErpServerError) and (error.code is not None or error.text):
        return Upstream(error.code, error.text)
    return None
