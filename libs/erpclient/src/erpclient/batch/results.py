"""Results of a change set."""

from attrs import field, frozen

from erpclient.errors import ErpError, ErpRefused, Outcome


@frozen
class OperationDone:
    """Reply to one operation of a completed change set.

    Attributes:
        status: 200, 201 or 204.
        location: path of a new record below the service root: ``PurchaseReturns(7)``; ``None`` without.
        etag: its entity tag as the ERP sent it; ``None`` without.
        body: a JSON object with every digit as the ERP sent it; empty where there is none.
    """

    status: int
    location: str | None
    etag: str | None
    body: bytes = field(repr=False)


@frozen
class ChangeSetDone:
    """All operations completed.

    Attributes:
        operations: replies in the order of the operations.
    """

    operations: tuple[OperationDone, ...]


@frozen
class ChangeSetRefused:
    """The ERP refused the change set and rolled it back.

    Attributes:
        operation: index of the failed operation from 0; ``None`` if the ERP does not report it (v1 never
            does) or refused the whole batch.
        error: status, code and text of the ERP.
    """

    operation: int | None
    error: ErpRefused


@frozen
class ChangeSetUnknown:
    """The outcome is unknown: look up the records before you repeat it.

    Attributes:
        error: the reason: no reply, a 5xx, or an unreadable reply. Some builds report a refusal by the
            company's own rules as a 502 page of the balancer.
    """

    error: ErpError


@frozen
class ChangeSetNotSent:
    """The change set was not executed: it was not sent, or refused for lack of a session. Safe to repeat.

    Attributes:
        error: the reason.
    """

    error: ErpError


ChangeSetResult = ChangeSetDone | ChangeSetRefused | ChangeSetUnknown | ChangeSetNotSent


def result_of(error: ErpError) -> ChangeSetResult:
    """Map an error to the outcome of the change set."""
    if isinstance(error, ErpRefused):
        return ChangeSetRefused(None, error)
    return ChangeSetUnknown(error) if error.outcome is Outcome.UNKNOWN else ChangeSetNotSent(error)
