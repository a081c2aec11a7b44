"""Errors of calls to the ERP.

::

    ErpError
    ├── ErpUnreachable       no connection (DNS, TCP, TLS), or it was lost before an answer
    ├── ErpTimeout           no connection or no answer in time
    ├── ErpLoginRejected     the ERP rejected the credentials, or the session that it had just issued
    ├── SessionEnded         the session is over and cannot be renewed
    ├── ErpRefused           a 4xx reply: nothing was done
    │   └── ErpKeyUnsupported   the web server rejects this key in a path
    ├── ErpServerError       a 5xx reply
    ├── ErpReplyUnreadable   a reply that violates the protocol
    │   └── ErpReplyTooLarge    a reply above the size limit
    ├── ErpUnwell            the ERP does not respond at present; nothing was sent
    ├── QueueFull            too many requests are waiting
    ├── QueueTimeout         the request waited too long for its turn
    ├── QueueClosed          the client is being closed
    └── CallerGone           the caller disconnected while it waited

``outcome`` of every error says whether the ERP may have executed the request.
"""

# ruff: noqa: N818 - an error is named by what happened (`ErpTimeout`), a refusal by what it says (`QueueFull`)

from enum import Enum
from typing import Final, Self

TOO_LARGE: Final = "too large"
"""Reason of a reply that exceeds the size limit."""

MAX_TEXT: Final = 1_000
"""Maximum length of an ERP text in an error, in characters."""


def bounded(text: str) -> str:
    """Shorten an ERP text in the middle.

    When the ERP rejects a query, it first repeats the whole statement. The reason comes last, so the end
    must stay.
    """
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    return f"{text[:half]}…{text[1 - half :]}"


class Outcome(Enum):
    """Whether a request without a successful reply may have been executed."""

    NOT_DONE = "not_done"
    """Surely not done: never sent, or refused. Safe to repeat."""
    UNKNOWN = "unknown"
    """Sent without a readable reply: look up the record before you repeat a write."""


class Phase(Enum):
    """Progress of a request."""

    CONNECT = "connect"
    """Before anything of it was sent."""
    ANSWER = "answer"
    """After at least a part may have been sent."""


class ErpError(Exception):
    """Any failure between this program and the ERP.

    Attributes:
        outcome: whether the ERP may have executed the request.
    """

    def __init__(self, message: str, *, outcome: Outcome = Outcome.NOT_DONE) -> None:
        super().__init__(message)
        self.outcome = outcome

    def without_traceback(self, *, outcome: Outcome | None = None) -> Self:
        """Create a new exception with the same facts, to raise it for another caller.

        One exception raised in several tasks would collect all their tracebacks, and a stored one would keep
        the reply alive through them. The new one has type and text of its cause as a note.

        Args:
            outcome: another outcome, if the failed request was not the caller's own (a login).
        """
        bare = type(self).__new__(type(self), *self.args)
        bare.__dict__.update(self.__dict__)
        if self.__cause__ is not None:
            bare.__notes__ = [f"caused by {type(self.__cause__).__name__}: {self.__cause__}"]
        if outcome is not None:
            bare.outcome = outcome
        return bare


class ErpUnreachable(ErpError):
    """No connection to the ERP, or a connection lost before the reply.

    Attributes:
        network_code: ``ECONNREFUSED``, ``EHOSTUNREACH``, ``ENETUNREACH``, ``ECONNRESET``, ``ETIMEDOUT``,
            ``ENOTFOUND`` (any DNS failure) or ``CERT`` (any TLS failure).
        phase: whether a connection existed.
    """

    def __init__(self, network_code: str, phase: Phase) -> None:
        connecting = phase is Phase.CONNECT
        super().__init__(
            f"the ERP could not be reached ({network_code})"
            if connecting
            else f"the connection to the ERP was lost before an answer came ({network_code})",
            outcome=Outcome.NOT_DONE if connecting else Outcome.UNKNOWN,
        )
        self.network_code = network_code
        self.phase = phase


class ErpTimeout(ErpError):
    """No connection or no complete reply in time.

    Attributes:
        phase: the missing part: connection or reply.
    """

    network_code: Final = "ETIMEDOUT"

    def __init__(self, phase: Phase) -> None:
        connecting = phase is Phase.CONNECT
        super().__init__(
            "no connection to the ERP in time" if connecting else "no answer from the ERP in time",
            outcome=Outcome.NOT_DONE if connecting else Outcome.UNKNOWN,
        )
        self.phase = phase


class ErpLoginRejected(ErpError):
    """The ERP rejected the credentials, or a session that it had just issued.

    Attributes:
        code: the ERP's own code, if any.
        text: the ERP's own text, possibly empty.
    """

    def __init__(self, code: int | str | None, text: str) -> None:
        super().__init__(f"the ERP refused the login (code {code}): {text}")
        self.code = code
        self.text = text


class SessionEnded(ErpError):
    """The ERP session is over and cannot be renewed, because its credentials were not kept."""

    def __init__(self) -> None:
        super().__init__("the ERP session is over")


class ErpRefused(ErpError):
    """The ERP refused the request with a 4xx status without executing it.

    A document refused with code -2028 may have left a draft that waits for approval (validated by an
    integrator on Service Layer 1000321).

    Attributes:
        status: the HTTP status.
        code: the ERP's own code, as an integer if it looks like one (v2 sends text); ``None`` for a reply of
            another server (a web server's page).
        text: the ERP's own text, in the language of the login; possibly empty.
        is_cut_off: whether the reply is incomplete, which may be why its code is missing.
    """

    def __init__(self, status: int, code: int | str | None, text: str, *, is_cut_off: bool = False) -> None:
        self.is_cut_off = is_cut_off
        super().__init__(f"the ERP refused the request ({status}, code {code}): {text}")
        self.status = status
        self.code = code
        self.text = text


class ErpKeyUnsupported(ErpRefused):
    """The web server in front of the ERP rejects an encoded slash in a key; nothing was done."""


class ErpServerError(ErpError):
    """The ERP, or the balancer in front of it, answered with a 5xx status.

    Attributes:
        status: the HTTP status.
        code: the ERP's own code, ``None`` for a balancer's page.
        text: the ERP's own text; possibly empty.
    """

    def __init__(self, status: int, code: int | str | None, text: str) -> None:
        super().__init__(f"the ERP failed ({status}, code {code}): {text}", outcome=Outcome.UNKNOWN)
        self.status = status
        self.code = code
        self.text = text


class ErpReplyUnreadable(ErpError):
    """The reply violates the protocol: no JSON, or cut off.

    Attributes:
        reason: a few fixed English words, without content of the reply.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the ERP's answer cannot be read: {reason}", outcome=Outcome.UNKNOWN)
        self.reason = reason


class ErpReplyTooLarge(ErpReplyUnreadable):
    """The reply exceeds the size limit. Request fewer fields or rows."""

    def __init__(self) -> None:
        super().__init__(TOO_LARGE)


class ErpUnwell(ErpError):
    """Several calls and a probe got no reply from the ERP, so nothing is sent until a probe succeeds."""

    def __init__(self) -> None:
        super().__init__("the ERP gives no answers at present")


class QueueFull(ErpError):
    """Too many requests are waiting; this one was not sent.

    Attributes:
        scope: ``total`` when the whole queue is full, ``user`` when this user's share is.
    """

    def __init__(self, scope: str) -> None:
        super().__init__(f"the queue to the ERP is full ({scope})")
        self.scope = scope


class QueueTimeout(ErpError):
    """The request waited too long for its turn; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("the request waited too long for its turn")


class QueueClosed(ErpError):
    """The client is being closed; nothing was sent."""

    def __init__(self) -> None:
        super().__init__("the client is being closed")


class CallerGone(ErpError):
    """The caller disconnected while its request was waiting; nothing was sent for it."""

    def __init__(self) -> None:
        super().__init__("the caller left while waiting")
