"""What posting a document came to."""

from attrs import frozen


@frozen(kw_only=True)
class Posted:
    """The ERP made the return."""

    doc_entry: int
    doc_num: int
    folio: int | None = None


@frozen(kw_only=True)
class Refused:
    """The ERP read the post and did nothing of it.

    Attributes:
        code: The ERP's own code.
        text: The ERP's own text.
    """

    code: int | str | None
    text: str


@frozen
class NotSent:
    """Nothing left this service; the text says why, in Spanish."""

    reason: str


@frozen
class Unknown:
    """It was sent, and no readable answer came: the return may exist, or may still come to exist."""


PostOutcome = Posted | Refused | NotSent | Unknown
