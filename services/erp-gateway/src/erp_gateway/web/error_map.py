"""Translation of errors of `erpclient` into errors of this service. No other module does this.

A write with an unknown outcome always becomes `OutcomeUnknown`. Everything else follows the kind of failure.
"""

from enum import Enum
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.web.odata_errors import odata_service_error
from erp_gateway.web.upstream_errors import (
    MaybeInApproval,
    OutcomeUnknown,
    OutcomeUnknownTimeout,
    StaleEtag,
    UpstreamForbidden,
    UpstreamKeyUnsupported,
    UpstreamLoginFailed,
)
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
from servicekit.errors import BodyTooLarge, ServiceError

NO_MATCHING_RECORDS: Final = -2028
"""The ERP's code for a record that does not exist, and for a document that an approval procedure caught
(validated by an integrator on Service Layer 1000321)."""


ALREADY_EXISTS: Final = -2035
"""The ERP's code for a duplicate; in a change, for a row that it took for a new one."""

_ROW_EXISTS: Final = (
    f"{erp.UpstreamRejected.detail} Ya existe una fila como una de las enviadas. Para cambiar una dirección, "
    "su fila lleva BPCode, AddressName, AddressType y RowNum como se leyeron; una nueva lleva otro "
    "AddressName; para quitar una se envían las demás completas con B1S-ReplaceCollectionsOnPatch: true."
)


class CallKind(Enum):
    """Kind of call: the same refusal of the ERP means different things to a reader and to a writer."""

    READ = "read"
    QUERY_ACTION = "query_action"
    CREATE = "create"
    CREATE_APPROVABLE = "create_approvable"
    MODIFY = "modify"
    ACTION = "action"

    @property
    def writes(self) -> bool:
        """True if the call can change data in the ERP."""
        return self not in (CallKind.READ, CallKind.QUERY_ACTION)


def upstream_service_error(error: ErpError, kind: CallKind) -> ServiceError:
    """Return the error for the client whose call to the ERP failed.

    Args:
        error: the error of `erpclient`.
        kind: the kind of call.
    """
    if kind.writes and error.outcome is Outcome.UNKNOWN:
        is_timeout = isinstance(error, ErpTimeout)
        return (OutcomeUnknownTimeout if is_timeout else OutcomeUnknown)(upstream=erp.upstream_of(error))
    if isinstance(error, ErpRefused):
        return _refusal(error, kind)
    if isinstance(error, ErpServerError):
        is_busy = error.status == 503  # noqa: PLR2004 - an HTTP status
        return (erp.UpstreamBusy if is_busy else erp.UpstreamFailed)(upstream=erp.upstream_of(error))
    return erp.failed_call(error, _ANSWERS)


_ANSWERS: Final = {
    **erp.ANSWERS,
    ErpLoginRejected: UpstreamLoginFailed,
    SessionEnded: UpstreamLoginFailed,
}


def _refusal(error: ErpRefused, kind: CallKind) -> ServiceError:
    upstream = erp.upstream_of(error)
    if isinstance(error, ErpKeyUnsupported):
        return UpstreamKeyUnsupported(upstream=upstream)
    if kind is CallKind.CREATE_APPROVABLE and _may_be_in_approval(error):
        return MaybeInApproval(upstream=upstream)
    if error.status == 404 and kind in (CallKind.READ, CallKind.MODIFY):  # noqa: PLR2004 - an HTTP status
        return erp.RecordNotFound(upstream=upstream)
    if error.code == ALREADY_EXISTS and kind is CallKind.MODIFY:
        return erp.UpstreamRejected(_ROW_EXISTS, upstream=upstream)
    return _BY_STATUS.get(error.status, erp.UpstreamRejected)(upstream=upstream)


def _may_be_in_approval(error: ErpRefused) -> bool:
    # The code may be missing in a response that was cut off.
    return error.code == NO_MATCHING_RECORDS or (error.is_cut_off and error.status in (400, 404))


_BY_STATUS: Final[dict[int, type[ServiceError]]] = {
    403: UpstreamForbidden,
    409: erp.UpstreamConflict,
    412: StaleEtag,
    413: BodyTooLarge,
    429: erp.UpstreamBusy,
}


def translating_errors(handler: Handler) -> Handler:
    """Return the handler with errors of `erpclient` translated, as those of a read."""

    async def translated(request: Request) -> Response:
        try:
            return await handler(request)
        except ODataError as error:
            raise odata_service_error(error) from error
        except ErpError as error:
            raise upstream_service_error(error, CallKind.READ) from error

    return translated
