"""The caller of a request, and the cost of its calls."""

from collections.abc import Awaitable, Callable
from enum import StrEnum

from attrs import define, field, frozen

from erpclient.lanes import Lane


@define
class CallTrace:
    """Cost of one caller's requests so far, failed ones included.

    Attributes:
        calls: upstream calls, with repeats and without logins; a shared call counts for each of its callers.
        joined: calls of other callers that were shared.
        queue_s: seconds spent waiting for a turn.
        upstream_s: seconds spent with the ERP, a login included.
    """

    calls: int = 0
    joined: int = 0
    queue_s: float = 0.0
    upstream_s: float = 0.0


class Reserve(StrEnum):
    """Reserved places of the queue in which a request may wait, besides the common ones."""

    NONE = ""
    SIGN_IN = "sign_in"
    ADMINISTRATOR = "administrator"


@frozen
class Caller:
    """The caller of a request.

    Attributes:
        user: lane of the queue. Lanes take turns; the requests of one lane keep their order.
        request_id: sent as ``X-Request-ID`` if it is 1 to 64 of ``A-Za-z0-9._-``.
        traceparent: sent if it is a W3C trace parent.
        disconnected: returns when the caller has disconnected. Awaited only while the request waits for its
            turn.
        trace: adds up the cost of the request.
        reserve: reserved places in which the request may wait.
    """

    user: Lane
    request_id: str | None = None
    traceparent: str | None = None
    disconnected: Callable[[], Awaitable[object]] | None = None
    trace: CallTrace = field(factory=CallTrace)
    reserve: Reserve = Reserve.NONE


@frozen
class CallContext:
    """Caller and trace of a call.

    Attributes:
        caller: the caller; of a shared call the first one.
        trace: cost of this call; each caller of a shared call adds it to its own trace.
    """

    caller: Caller
    trace: CallTrace
