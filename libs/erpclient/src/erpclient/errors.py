"""What can go wrong between a program and the ERP.

::

    ErpError
    ├── ErpUnreachable       no connection (DNS, TCP, TLS), or it was lost before an answer
    ├── ErpTimeout           no connection or no answer in time
    ├── ErpLoginRejected     the ERP does not take these credentials, or not the session they gave
    ├── SessionEnded         a session that cannot be renewed is over
    ├── ErpRefused           a 4xx answer: read, understood, not done
    │   └── ErpKeyUnsupported   the ERP's web server does not take this key in a path
    ├── ErpServerError       a 5xx answer
    ├── ErpReplyUnreadable   an answer that is not what the protocol promises
    │   └── ErpReplyTooLarge    an answer beyond what is read of one
    ├── ErpUnwell            the ERP is known to give no answers at present
    ├── QueueFull            too much is waiting already
    ├── QueueTimeout         waited too long for its turn
    ├── QueueClosed          the client is being closed
    └── CallerGone           the caller left while waiting for its turn

Every error says in ``outcome`` whether the request may have been carried out.
"""

# ruff: noqa: N818 - an error is named by what happened (`ErpTimeout`), a refusal by what it says (`QueueFull`)

from enum import Enum
from typing import Final, Self

TOO_LARGE: Final = "too large"
"""What is wrong with an answer beyond what is read of one."""

MAX_TEXT: Final = 1_000
"""Longest ERP text that an error keeps, in characters."""


def bounded(text: str) -> str:
    """Cut an ERP text to what an error keeps of it, in the middle.

    A refusal of the query analyser repeats the statement, and says at the end what is wrong with it.
    """
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    return f"{text[:half]}…{text[1 - half :]}"


class Outcome(Enum):
    """Whether what was asked may have happened although no good answer came."""

    NOT_DONE = "not_done"
    """Surely not done: never sent, or refused. Safe to repeat."""
    UNKNOWN = "unknown"
    """Sent, and no readable answer came: look before repeating a write."""


class Phase(Enum):
    """How far a request got."""

    CONNECT = "connect"
    """Before anything of it was sent."""
    ANSWER = "answer"
    """After at least a part may have been sent."""


class ErpError(Exception):
    """Anything that went wrong between this program and the ERP.

    Attributes:
        outcome: whether the request may have been carried out.
    """

    def __init__(self, message: str, *, outcome: Outcome = Outcome.NOT_DONE) -> None:
        super().__init__(message)
        self.outcome = outcome

    def without_traceback(self, *, outcome: Outcome | None = None) -> Self:
        """Make a new exception with the same facts, to be raised for somebody else.

        One exception raised in several tasks would collect all their tracebacks, and through them one that is
        kept would hold the answer that it came from. Of its cause the new one has type and text, as a note.

        Args:
            outcome: another outcome, where the failed request was not the caller's own (a login).
        """
        bare = type(self).__new__(type(self), *self.args)
        bare.__dict__.update(self.__dict__)
        if self.__cause__ is not None:
            bare.__notes__ = [f"caused by {type(self.__cause__).__name__}: {self.__cause__}"]
        if outcome is not None:
            bare.outcome = outcome
        return bare


class ErpUnreachable(ErpError):
    """No connection to the ERP, or one that was lost before an answer came.

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
    """No connection, or no complete answer, in the time allowed.

    Attributes:
        phase: what did not happen in time: the connection or the answer.
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
    """The ERP refused the credentials, or refused a session that it had just given.

    Attributes:
        code: the ERP's own code, as far as there is one.
        text: the ERP's own text, possibly empty.
    """

    def __init__(self, code: int | str | None, text: str) -> None:
        super().__init__(f"the ERP refused the login (code {code}): {text}")
        self.code = code
        self.text = text


class SessionEnded(ErpError):
    """The ERP session is over and cannot be renewed, since nobody kept its credentials."""

    def __init__(self) -> None:
        super().__init__("the ERP session is over")


class ErpRefused(ErpError):
    """The ERP read the request and refused it with a 4xx status; nothing was done.

    A document refused with code -2028 may have left a draft that waits for approval
    (validated by an integrator on Service Layer 1000321).

    Attributes:
        status: the HTTP status.
        code: the ERP's own code; an integer where it looks like one (v2 sends it as text); ``None`` when the
            answer was not the ERP's own (a web server's page).
        text: the ERP's own text, in the language of the login; possibly empty.
        is_cut_off: whether the answer is not whole, so that its code may be missing for that.
    """

    def __init__(self, status: int, code: int | str | None, text: str, *, is_cut_off: bool = False) -> None:
        self.is_cut_off = is_cut_off
        super().__init__(f"the ERP refused the request ({status}, code {code}): {text}")
        self.status = status
        self.code = code
        self.text = text


class ErpKeyUnsupported(ErpRefused):
    """The web server before the ERP does not take an encoded slash in a key; nothing was done."""


class ErpServerError(ErpError):
    """The ERP, or the balancer before it, answered with a 5xx status.

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
    """An answer came that is not what the protocol promises: no JSON, cut off.

    Attributes:
        reason: what is wrong with it, a few fixed English words without any of its content.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the ERP's answer cannot be read: {reason}", outcome=Outcome.UNKNOWN)
        self.reason = reason


class ErpReplyTooLarge(ErpReplyUnreadable):
    """An answer is larger than what is read of one; fewer fields or rows would do."""

    def __init__(self) -> None:
        super().__init__(TOO_LARGE)


class ErpUnwell(ErpError):
    """Several calls and a probe got no answer from the ERP, so nothing is sent until a probe does."""

    def __init__(self) -> None:
        super().__init__("the ERP gives no answers at present")


class QueueFull(ErpError):
    """Too many requests are waiting; nothing was sent.

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
    """The caller left while its request was waiting; nothing was sent for it."""

    def __init__(self) -> None:
        super().__init__("the caller left while waiting")
