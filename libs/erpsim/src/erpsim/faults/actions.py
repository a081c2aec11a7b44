"""Actions of faults: delays, drops, refusals, broken responses. Values only; the server applies them."""

from __future__ import annotations

import enum
from typing import TypeAlias

import attrs


class When(enum.Enum):
    """The moment of a fault in the life of a call."""

    BEFORE_READING = "before-reading"
    """Only the request's head was read; no work was done."""

    BEFORE_WORK = "before-work"
    """The request was read; no work was done."""

    AFTER_WORK = "after-work"
    """All work was done; the response is lost."""


@attrs.frozen(kw_only=True)
class Delay:
    """The call takes longer and keeps its session busy."""

    seconds: float


@attrs.frozen(kw_only=True)
class Drop:
    """The connection closes.

    Args:
        when: see `When`.
        reset: with a TCP reset, else with an orderly end.
    """

    when: When = When.AFTER_WORK
    reset: bool = True


@attrs.frozen(kw_only=True)
class CommitLate:
    """The connection closes at once; the work is done later, without a waiting client.

    Args:
        seconds: longest delay; `Simulator.late_commits` commits at once.
    """

    seconds: float


@attrs.frozen(kw_only=True)
class Refuse:
    """The Service Layer refuses with this error in the call's generation; no work is done."""

    status: int
    code: int
    text: str


@attrs.frozen(kw_only=True)
class Answer:
    """A server in front of the Service Layer responds instead.

    Args:
        status: HTTP status.
        body: text of the body.
        content_type: its type.
        when: `AFTER_WORK` if the work is done nevertheless.
    """

    status: int
    body: str = ""
    content_type: str = "text/plain;charset=utf-8"
    when: When = When.BEFORE_WORK


@attrs.frozen(kw_only=True)
class BadGateway:
    """The balancer's HTML 502.

    Args:
        when: `AFTER_WORK` if the call's work is done nevertheless: the outcome is unknown to the client.
    """

    when: When = When.BEFORE_WORK


@attrs.frozen(kw_only=True)
class Truncate:
    """The response ends after this many bytes of its body, then the connection closes."""

    keep_bytes: int


@attrs.frozen(kw_only=True)
class Drip:
    """The body comes in small pieces with pauses between them."""

    chunk_bytes: int
    interval_s: float


@attrs.frozen(kw_only=True)
class Hang:
    """The body stops after this many bytes and stalls, then the connection closes."""

    after_bytes: int
    seconds: float


@attrs.frozen(kw_only=True)
class Garbage:
    """Status and headers promise JSON, but the body is not JSON."""

    size_bytes: int = 64


@attrs.frozen(kw_only=True)
class GzipBomb:
    """A small gzip body that unpacks to so many bytes."""

    unpacked_bytes: int


@attrs.frozen(kw_only=True)
class Oversize:
    """A JSON body of so many bytes."""

    size_bytes: int


@attrs.frozen(kw_only=True)
class CutAfterAnswer:
    """The response is complete, then the kept-alive connection closes without `Connection: close`."""


@attrs.frozen(kw_only=True)
class ExpireSession:
    """The call's session ends before it is checked, so the call gets the 401.

    Args:
        everyone: all sessions of the server end.
    """

    everyone: bool = False


@attrs.frozen(kw_only=True)
class ChangeNode:
    """The balancer routes the call to this node and announces it in a new `ROUTEID`."""

    node: int


@attrs.frozen(kw_only=True)
class OmitRoute:
    """The response lacks its `ROUTEID`."""


Action: TypeAlias = (
    Delay
    | Drop
    | CommitLate
    | Refuse
    | Answer
    | BadGateway
    | Truncate
    | Drip
    | Hang
    | Garbage
    | GzipBomb
    | Oversize
    | CutAfterAnswer
    | ExpireSession
    | ChangeNode
    | OmitRoute
)

DeliveryAction: TypeAlias = Drop | Truncate | Drip | Hang | Garbage | GzipBomb | Oversize | CutAfterAnswer
"""Actions that change the transport of a finished response."""
