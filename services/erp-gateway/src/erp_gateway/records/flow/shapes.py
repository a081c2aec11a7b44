"""The answer of the flow."""

from datetime import datetime

from attrs import frozen

from erp_gateway.records.documents.head import DocumentHead


@frozen(kw_only=True)
class FlowSide:
    """The documents on one side of a document.

    Attributes:
        documents: those that the reader may read, by date.
        has_hidden: whether there are others that the reader may not read.
        is_complete: whether these are all: False if the ERP refused a read or there are too many.
    """

    documents: tuple[DocumentHead, ...]
    has_hidden: bool
    is_complete: bool


@frozen(kw_only=True)
class Flow:
    """A document with the documents one step before and after it.

    Attributes:
        document: the document itself.
        base: what it was made from; for a payment, the invoices that it pays.
        following: what was made from it, and the payments of an invoice.
        read_at: when it was read from the ERP.
    """

    document: DocumentHead
    base: FlowSide
    following: FlowSide
    read_at: datetime
