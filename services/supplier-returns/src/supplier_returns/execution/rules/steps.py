"""Steps that a run can take with one document."""

import enum

from attrs import frozen

from supplier_returns.planning.model.documents import SupplierDocument


class Lookup(enum.Enum):
    """Requests to the ERP, by the document's key."""

    RETURN = "return"
    RETURN_AGAIN = "return again"
    """A missing draft may have become a return after the first lookup of the return."""
    DRAFT = "draft"
    FENCE = "fence"


@frozen
class RecordAttempt:
    """Record the attempt.

    Attributes:
        in_doubt: whether an earlier post got no reply.
    """

    in_doubt: bool = False


@frozen
class Check:
    """Compare the document with stock and receipts."""


@frozen
class Post:
    """Post the return, with the fence if it is up."""


@frozen
class UseUp:
    """Use up the key in the fence, so that the ERP rejects a late earlier post."""


@frozen
class PostAlone:
    """Use up the key, then post the return outside a change set.

    An approval procedure rejects the return and keeps a draft of it. Inside a change set the ERP may roll the
    draft back with the rejection.
    """


@frozen
class Finish:
    """Record this document and finish it.

    Attributes:
        stops: whether the run ends too. The ERP is unavailable, and the other documents stay pending.
    """

    document: SupplierDocument
    stops: bool = False


OpenStep = Lookup | RecordAttempt | Check | Post | UseUp | PostAlone
Step = OpenStep | Finish
