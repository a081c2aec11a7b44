"""What the ERP has under a document's number, and which of it is the document.

A key is the document's name (`ODEV-<planning>-<document>-`) and eight hexadecimal digits. It is looked for by
the name: a write of the record that came late may have put an older key in the place of the one that
was posted.
"""

import enum
from collections.abc import Sequence
from decimal import Decimal

from attrs import frozen


@frozen(kw_only=True)
class ErpReturn:
    """A return document of the ERP that carries the key.

    Attributes:
        doc_entry: The ERP's key of it.
        doc_num: The number that people see.
        key: Ours.
        folio: Number of the tax document, None before it has one.
        total: The ERP's total without tax, in the document's currency; None where it gives none.
        is_cancelled: Somebody cancelled it; its goods are back.
        is_cancellation: It is the counter-document of a cancelled one, which carries the same user fields.
    """

    doc_entry: int
    doc_num: int
    card_code: str
    key: str
    folio: int | None = None
    total: Decimal | None = None
    is_cancelled: bool = False
    is_cancellation: bool = False


class DraftStatus(enum.Enum):
    """What became of a draft that waits for approval."""

    WAITING = "waiting"
    """It waits, or was approved and waits to be added."""
    REFUSED = "refused"
    """Refused or withdrawn; the draft may still lie there."""


@frozen(kw_only=True)
class ErpDraft:
    """A stored draft that carries the key.

    Attributes:
        doc_entry: The ERP's key of the draft, another number than the return's.
    """

    doc_entry: int
    status: DraftStatus


@frozen
class Match:
    """The return that a key stands for.

    Attributes:
        others: Further returns that are live under the same key: somebody copied the document by hand, and a
            copy takes its user fields along.
    """

    found: ErpReturn
    others: tuple[ErpReturn, ...] = ()


def identify(key: str, card_code: str, found: Sequence[ErpReturn]) -> Match | None:
    """Choose the return that is the document's: a live one of its supplier, with its key, the oldest.

    Args:
        key: The document's.
        card_code: The document's supplier.
        found: All returns under its name.

    Returns:
        None when there is none. A live return of another supplier is only chosen where nothing else is there.
    """
    returns = sorted(
        (each for each in found if not each.is_cancellation),
        key=lambda each: (
            each.card_code != card_code,
            each.is_cancelled,
            each.key != key,
            each.doc_entry,
        ),
    )
    if not returns:
        return None
    others = tuple(each for each in returns[1:] if not each.is_cancelled)
    return Match(returns[0], others)


def relevant_draft(drafts: Sequence[ErpDraft]) -> ErpDraft | None:
    """Choose the draft that matters: one that waits before one that was refused, the oldest first."""
    return min(
        drafts, key=lambda each: (each.status is not DraftStatus.WAITING, each.doc_entry), default=None
    )
