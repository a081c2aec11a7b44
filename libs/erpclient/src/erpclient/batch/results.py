"""Results of a change set."""

from attrs import field, frozen

from erpclient.errors import ErpError, ErpRefused, Outcome


@frozen
class OperationDone:
    """What the ERP answered to one operation of a change set that was done.

    Attributes:
        status: 200, 201 or 204.
        location: where a new record is, below the service root: ``PurchaseReturns(7)``; ``None`` without.
        etag: its entity tag as the ERP sent it; ``None`` without.
        body: a JSON object with every digit as the ERP sent it; empty where there is none.
    """

    status: int
    location: str | None
    etag: str | None
    body: bytes = field(repr=False)


@frozen
class ChangeSetDone:
    """Every operation was done.

    Attributes:
        operations: the answers, in the order of the operations.
    """

    operations: tuple[OperationDone, ...]


@frozen
class ChangeSetRefused:
    """The ERP refused it, and did nothing of it.

    A document refused with code -2028 may have left a draft that waits for approval, as with a single write.

    Attributes:
        operation: which one failed, counted from 0; ``None`` where the ERP does not tell (v1 never does), or
            when it refused the whole batch.
        error: status, code and text of the ERP.
    """

    operation: int | None
    error: ErpRefused


@frozen
class ChangeSetUnknown:
    """It was sent, and nobody knows whether it was done: look before repeating it.

    Attributes:
        error: why it is not known: no answer, a 5xx (on some builds a refusal by the company's own rules
            comes as a 502 page of the balancer), or an answer that can't be read.
    """

    error: ErpError


@frozen
class ChangeSetNotSent:
    """Surely nothing was done: it never left, or was turned away for want of a session. Safe to repeat.

    Attributes:
        error: what stood in the way.
    """

    error: ErpError


ChangeSetResult = ChangeSetDone | ChangeSetRefused | ChangeSetUnknown | ChangeSetNotSent


def result_of(error: ErpError) -> ChangeSetResult:
    """Tell what an error means that came instead of the batch's answer."""
    if isinstance(error, ErpRefused):
        return ChangeSetRefused(None, error)
    return ChangeSetUnknown(error) if error.outcome is Outcome.UNKNOWN else ChangeSetNotSent(error)
