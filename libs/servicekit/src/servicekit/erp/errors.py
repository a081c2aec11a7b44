# ruff: noqa: N818 - refusals are plain nouns
"""Errors between a service and the ERP, as clients see them.

Messages are for people and say what to do next. The ERP's own code and text are in `upstream`. A service
subclasses an error if it needs another message.
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
    """User or password is wrong. The gateway gives the same answer for every reason; supplier-returns asked
    the ERP once.
    """

    status = 401
    code = "invalid_credentials"
    detail = "El usuario o la contraseña no son correctos."


class TooManyAttempts(ServiceError):
    """Too many failed sign-ins of this user or from this address. The ERP was not called. `Retry-After` says
    when to try again. In supplier-returns the block of a name (`SIGN_IN_MAX_FAILURES`) starts at 15 minutes
    and doubles with each further failure, up to 24 h, until a sign-in succeeds.
    """

    status = 429
    code = "too_many_attempts"
    detail = "Demasiados intentos fallidos. Espere unos minutos antes de volver a intentarlo."


class LoginBusy(ServiceError):
    """Too many logins of this user or address are being checked at the moment."""

    status = 503
    code = "login_busy"
    detail = (
        "Se están comprobando demasiados inicios de sesión a la vez. Inténtelo de nuevo en unos segundos."
    )


class UpstreamRejected(ServiceError):
    """The ERP read the request and refused it: a business rule, an unknown field, a missing value. Nothing
    was done. `upstream` has the reason.
    """

    status = 400
    code = "upstream_rejected"
    detail = "El ERP rechazó la operación. No se realizó ningún cambio."


class RecordNotFound(ServiceError):
    """The ERP has no record under this key."""

    status = 404
    code = "record_not_found"
    detail = "El registro no existe en el ERP."


class UpstreamConflict(ServiceError):
    """The ERP reports a conflict with the current state of the record."""

    status = 409
    code = "upstream_conflict"
    detail = "La operación entra en conflicto con el estado actual del registro en el ERP."


class UpstreamUnreachable(ServiceError):
    """No connection to the ERP (network, DNS, TLS); nothing was done. Or the connection to the report gateway
    broke before its response. supplier-returns adds the network code to the text.
    """

    status = 502
    code = "upstream_unreachable"
    detail = "No se pudo conectar con el ERP. La operación no se realizó; puede repetirla."


class ErpUnavailable(ServiceError):
    """The ERP does not respond (see [operations](docs/operate.md#watch)). Nothing was sent."""

    status = 503
    code = "erp_unavailable"
    detail = (
        "El ERP no responde en este momento. La operación no se realizó; inténtelo de nuevo en unos segundos."
    )
    retry_after_s = 5


class UpstreamFailed(ServiceError):
    """The ERP or its load balancer answered a read with 5xx, or the report gateway failed."""

    status = 502
    code = "upstream_failed"
    detail = "El ERP falló al atender la solicitud. Inténtelo de nuevo en unos momentos."


class UpstreamUnreadable(ServiceError):
    """A response of the ERP or the report gateway does not follow its protocol."""

    status = 502
    code = "upstream_unreadable"
    detail = "El ERP dio una respuesta que no se puede interpretar."


class ReplyTooLarge(ServiceError):
    """The ERP's response is larger than `ERP_SL_MAX_REPLY_BYTES` (supplier-returns: `SL_MAX_REPLY_BYTES`).
    Request fewer fields (`$select`) or rows (`$top`). For a write the code is `outcome_unknown` instead.
    """

    status = 502
    code = "reply_too_large"
    detail = (
        "La respuesta del ERP es más grande que lo que este servicio admite. Pida menos campos ($select) o "
        "menos filas ($top)."
    )


class UpstreamBusy(ServiceError):
    """The ERP or the report gateway is overloaded and asks for a later retry. Nothing was done."""

    status = 503
    code = "upstream_busy"
    detail = "El ERP está ocupado. La operación no se realizó; inténtelo de nuevo en unos segundos."


class QueueIsFull(ServiceError):
    """Too many requests are waiting, in total or of this user, or this one gave up its place to a user with
    fewer. Nothing was sent.
    """

    status = 503
    code = "queue_full"
    detail = (
        "Hay demasiadas solicitudes en espera del ERP. La operación no se realizó; "
        "inténtelo en unos segundos."
    )


class QueueWaitTooLong(ServiceError):
    """The request waited too long in the queue: `ERP_SL_QUEUE_TIMEOUT`, 60 s for a report, `ERPDB_TIMEOUT`
    for a database query, `SL_TIMEOUT` in supplier-returns. Nothing was sent.
    """

    status = 503
    code = "queue_timeout"
    detail = (
        "La solicitud esperó demasiado su turno ante el ERP. La operación no se realizó; puede repetirla."
    )


class ClientGone(ServiceError):
    """The client disconnected while its request was waiting. Nothing was sent. Only the log has this code."""

    status = 503
    code = "client_gone"
    detail = "La conexión se cerró antes de atender la solicitud. La operación no se realizó."


class UpstreamTimeout(ServiceError):
    """The ERP did not answer a read in time, a report took longer than `APIGATEWAY_TIMEOUT`, or a write was
    not sent in time. Nothing was done.
    """

    status = 504
    code = "upstream_timeout"
    detail = "El ERP no respondió a tiempo. Inténtelo de nuevo en unos momentos."


class OutcomeUnknown(ServiceError):
    """**A write was sent and no readable response came. It may have been done: look before you repeat it.**
    See [Writes](docs/api.md#outcome_unknown).
    """

    status = 502
    code = "outcome_unknown"
    detail = (
        "No se recibió la respuesta del ERP y no se sabe si la operación se realizó. "
        "Compruébelo antes de repetirla."
    )


class OutcomeUnknownTimeout(OutcomeUnknown):
    """**As with 502; the response did not come in time.**"""

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
"""Errors of any call to the ERP. Each service defines its own error for a rejected login."""


def failed_call(error: ErpError, answers: Mapping[type[ErpError], type[ServiceError]]) -> ServiceError:
    """Return the error for a failed read of the ERP that was not refused.

    Raises:
        TypeError: no answer is declared for this kind.
    """
    for kind in type(error).__mro__:
        if kind in answers:
            return answers[kind]()
    raise TypeError(f"no answer is declared for {type(error).__name__}") from error


def upstream_of(error: ErpError) -> Upstream | None:
    """Return the ERP's own code and text, or None for a reply of another server."""
    if isinstance(error, ErpRefused | ErpServerError) and (error.code is not None or error.text):
        return Upstream(error.code, error.text)
    return None
