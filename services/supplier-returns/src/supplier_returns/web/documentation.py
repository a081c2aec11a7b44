"""What the API's description says of endpoints beside what their features declare."""

from collections.abc import Iterable
from typing import Final

import attrs

from servicekit.endpoint import Endpoint
from servicekit.erp.errors import (
    ClientGone,
    OutcomeUnknown,
    OutcomeUnknownTimeout,
    QueueWaitTooLong,
    RecordNotFound,
    UpstreamBusy,
    UpstreamConflict,
    UpstreamFailed,
    UpstreamRejected,
    UpstreamTimeout,
    UpstreamUnreadable,
)
from servicekit.errors import ServiceError, UnsupportedMediaType
from supplier_returns.web.access import SAFE_METHODS, OriginForbidden
from supplier_returns.web.upstream_errors import (
    ErpForbidden,
    ErpUnavailable,
    QueueIsFull,
    UpstreamConnectTimeout,
    UpstreamUnreachable,
)

_Errors = tuple[type[ServiceError], ...]

_ERP_ERRORS: Final[_Errors] = (
    UpstreamRejected,
    ErpForbidden,
    RecordNotFound,
    UpstreamConflict,
    UpstreamUnreachable,
    UpstreamFailed,
    UpstreamUnreadable,
    UpstreamBusy,
    QueueIsFull,
    QueueWaitTooLong,
    ClientGone,
    ErpUnavailable,
    UpstreamConnectTimeout,
    UpstreamTimeout,
)
_WRITE_ERRORS: Final[_Errors] = (OutcomeUnknown, OutcomeUnknownTimeout)


def guarded(endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    """Add what the guard may answer to requests that change something."""
    return [
        endpoint
        if endpoint.method in SAFE_METHODS
        else _with(endpoint, OriginForbidden, UnsupportedMediaType)
        for endpoint in endpoints
    ]


def asking_the_erp(
    endpoints: Iterable[Endpoint], *, on_change: _Errors = (), always: _Errors = ()
) -> list[Endpoint]:
    """Add what the ERP's trouble is told as.

    Args:
        endpoints: endpoints whose handlers call the ERP.
        on_change: further errors of those that change something.
        always: further errors of all of them.
    """
    return [
        _with(endpoint, *_ERP_ERRORS, *always)
        if endpoint.method in SAFE_METHODS
        else _with(endpoint, *_ERP_ERRORS, *_WRITE_ERRORS, *on_change, *always)
        for endpoint in endpoints
    ]


def _with(endpoint: Endpoint, *errors: type[ServiceError]) -> Endpoint:
    return attrs.evolve(endpoint, errors=tuple(dict.fromkeys((*endpoint.errors, *errors))))
