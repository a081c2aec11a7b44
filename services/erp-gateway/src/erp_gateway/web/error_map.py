# ruff: noqa: N818 - refusals are plain nouns
"""The only place where errors of `erpclient` become answers of this service.

A write whose outcome is unknown is always told as such; everything else follows the kind of failure. A
rejected login of the gateway itself is 502 and never 401, which would tell a signed-in person to sign in
again.
"""

from enum import Enum
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.web.odata_errors import odata_service_error
from erpclient import (
    ErpError,
    ErpKeyUnsupported,
    ErpLoginRejected,
    ErpRefused,
    ErpServerError,
    ErpTimeout,
    Outcome,
    SessionEnded,
)
from erpclient.odata import ODataError
from servicekit.endpoint import Handler
from servicekit.erp import errors as erp
from servicekit.errors import BodyTooLarge, ServiceError, ShuttingDown


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
    """The same, with where to look."""

    detail = (
        "No se recibió la respuesta del ERP y no se sabe si la operación se realizó. "
        "Compruébelo en el ERP antes de repetirla."
    )


class OutcomeUnknownTimeout(OutcomeUnknown):
    """The same, where the answer did not come in time."""

    status = 504


UPSTREAM_REFUSALS: Final[tuple[type[ServiceError], ...]] = (
    erp.UpstreamRejected,
    erp.UpstreamConflict,
    UpstreamForbidden,
    StaleEtag,
)
"""How the ERP may refuse any call."""

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
"""How any call to the ERP may fail otherwise; a write may end as `OutcomeUnknown` instead."""


NO_MATCHING_RECORDS: Final = -2028
"""The ERP's code for a record that does not exist, and for a document that an approval procedure caught
(validated by an integrator on Service Layer 1000321)."""


ALREADY_EXISTS: Final = -2035
"""The ERP's code for what is there already; of a change, for a row that it took for a new one."""

_ROW_EXISTS: Final = (
    f"{erp.UpstreamRejected.detail} Ya existe una fila como una de las enviadas. Para cambiar una dirección, "
    "su fila lleva BPCode, AddressName, AddressType y RowNum como se leyeron; una nueva lleva otro "
    "AddressName; para quitar una se envían las demás completas con B1S-ReplaceCollectionsOnPatch: true."
)


class Call(Enum):
    """What was asked of the ERP; the same refusal means different things to a reader and to a writer."""

    READ = "read"
    QUERY_ACTION = "query_action"
    CREATE = "create"
    CREATE_APPROVABLE = "create_approvable"
    MODIFY = "modify"
    ACTION = "action"

    @property
    def writes(self) -> bool:
        """Whether it can change something in the ERP."""
        return self not in (Call.READ, Call.QUERY_ACTION)


def upstream_service_error(error: ErpError, call: Call) -> ServiceError:
    """Say what a failed call to the ERP means for the client who caused it.

    Args:
        error: what `erpclient` raised.
        call: what was asked.
    """
    if call.writes and error.outcome is Outcome.UNKNOWN:
        late = isinstance(error, ErpTimeout)
        return (OutcomeUnknownTimeout if late else OutcomeUnknown)(upstream=erp.upstream_of(error))
    if isinstance(error, ErpRefused):
        return _refusal(error, call)
    if isinstance(error, ErpServerError):
        busy = error.status == 503  # noqa: PLR2004 - an HTTP status
        return (erp.UpstreamBusy if busy else erp.UpstreamFailed)(upstream=erp.upstream_of(error))
    return erp.failed_call(error, _ANSWERS)


_ANSWERS: Final = {
    **erp.ANSWERS,
    ErpLoginRejected: UpstreamLoginFailed,
    SessionEnded: UpstreamLoginFailed,
}


def _refusal(error: ErpRefused, call: Call) -> ServiceError:
    """Say what a 4xx answer of the ERP means."""
    upstream = erp.upstream_of(error)
    if isinstance(error, ErpKeyUnsupported):
        return UpstreamKeyUnsupported(upstream=upstream)
    if call is Call.CREATE_APPROVABLE and _may_be_in_approval(error):
        return MaybeInApproval(upstream=upstream)
    if error.status == 404 and call in (Call.READ, Call.MODIFY):  # noqa: PLR2004 - an HTTP status
        return erp.RecordNotFound(upstream=upstream)
    if error.code == ALREADY_EXISTS and call is Call.MODIFY:
        return erp.UpstreamRejected(_ROW_EXISTS, upstream=upstream)
    return _BY_STATUS.get(error.status, erp.UpstreamRejected)(upstream=upstream)


def _may_be_in_approval(error: ErpRefused) -> bool:
    """Whether it is the refusal of what approval caught; one that came cut off may have been that."""
    return error.code == NO_MATCHING_RECORDS or (error.is_cut_off and error.status in (400, 404))


_BY_STATUS: Final[dict[int, type[ServiceError]]] = {
    403: UpstreamForbidden,
    409: erp.UpstreamConflict,
    412: StaleEtag,
    413: BodyTooLarge,
    429: erp.UpstreamBusy,
}


def translating_errors(handler: Handler) -> Handler:
    """Return the handler with the errors of `erpclient` that it lets out translated, as those of a read."""

    async def translated(request: Request) -> Response:
        try:
            return await handler(request)
        except ODataError as error:
            raise odata_service_error(error) from error
        except ErpError as error:
            raise upstream_service_error(error, Call.READ) from error

    return translated
