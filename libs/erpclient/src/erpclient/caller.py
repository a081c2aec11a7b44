"""For whom a request is made, and what it cost."""

from collections.abc import Awaitable, Callable
from enum import StrEnum

from attrs import define, field, frozen

from erpclient.lanes import Lane


@define
class CallTrace:
    """What the requests of one caller have cost so far; filled in also when they fail.

    Attributes:
        calls: upstream calls made, repeated ones included, logins not; a shared one counts for each who
            shared it.
        joined: how many times a call was shared that somebody else had asked for.
        queue_s: seconds spent waiting for a turn.
        upstream_s: seconds spent with the ERP, a login included.
    """

    calls: int = 0
    joined: int = 0
    queue_s: float = 0.0
    upstream_s: float = 0.0


class Reserve(StrEnum):
    """Which reserved places of the queue a request may wait in, beside those for everyone."""

    NONE = ""
    SIGN_IN = "sign_in"
    ADMINISTRATOR = "administrator"


@frozen
class Caller:
    """For whom a request is made.

    Attributes:
        user: the queue's lane. Lanes take turns; one lane's requests keep their order.
        request_id: passed on as ``X-Request-ID`` when it is 1 to 64 of ``A-Za-z0-9._-``.
        traceparent: passed on when it is a W3C trace parent.
        gone: waits until the one who asked has gone away. Awaited only while the request waits for its
            turn, and cancelled when the turn comes.
        ready: awaited when the turn of a write has come, before anything of it is sent: for what must be done
            by then and can be done while it waits. What it raises comes out, and nothing is sent.
        begun: called when the turn has come, before anything is sent; for a shared call on behalf of each
            who shares it. Must not raise.
        trace: where to add up what the request cost.
        reserve: which reserved places it may wait in.
    """

    user: Lane
    request_id: str | None = None
    traceparent: str | None = None
    gone: Callable[[], Awaitable[object]] | None = None
    ready: Callable[[], Awaitable[object]] | None = None
    begun: Callable[[], object] | None = None
    trace: CallTrace = field(factory=CallTrace)
    reserve: Reserve = Reserve.NONE


@frozen
class CallContext:
    """For whom a call is sent, and where it is counted.

    Attributes:
        caller: who asked; of a shared call, the first who did.
        trace: of this call; each who shares it adds it to their own.
    """

    caller: Caller
    trace: CallTrace
