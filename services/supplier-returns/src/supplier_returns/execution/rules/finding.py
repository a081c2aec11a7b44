"""Find the return or draft of a document among the ERP's documents with its key.

A key consists of the document's name (`ODEV-<planning>-<document>-`) and eight hexadecimal digits. Lookups
use the name, because a late write may have restored an older key than the posted one.
"""

import enum
from collections.abc import Sequence
from decimal import Decimal

from attrs import frozen


@frozen(kw_only=True)
class ErpReturn:
    """Return document in the ERP.

    Attributes:
        doc_entry: primary key in the ERP.
        doc_num: number that users see.
        key: key of our document.
        folio: number of the tax document, once it is assigned.
        total: total without tax in the document's currency, if the ERP returns it.
        is_cancelled: True if a user cancelled it. Its goods are back in stock.
        is_cancellation: True for the counter-document of a cancellation, which has the same user fields.
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
    """Approval status of a draft."""

    WAITING = "waiting"
    """It waits for approval, or it is approved but not added yet."""
    REFUSED = "refused"
    """It was rejected or withdrawn. The ERP may still contain it."""


@frozen(kw_only=True)
class ErpDraft:
    """Draft with the document's key.

    Attributes:
        doc_entry: primary key of the draft. The return gets another one.
    """

    doc_entry: int
    status: DraftStatus


@frozen
class Match:
    """Return of a document.

    Attributes:
        others: further live returns with the same name. A user copied the document, and its user fields with
            it.
    """

    found: ErpReturn
    others: tuple[ErpReturn, ...] = ()


def identify(key: str, card_code: str, found: Sequence[ErpReturn]) -> Match | None:
    """Choose the return of a document: preferably live, of its supplier, with its key, and the oldest.

    Args:
        key: key of the document.
        card_code: supplier of the document.
        found: all returns with the document's name.

    Returns:
        the chosen return. None if there is none. A return of another supplier is chosen only if there is no
            other.
    """
    returns = sorted(
        # A counter-document copies the user fields of the return that it cancels, and so the key.
        (each for each in found if not each.is_cancellation),
        key=lambda each: (
            # False sorts before true, so each condition is the negation of a preference.
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
    """Choose the oldest waiting draft, or else the oldest rejected one."""
    return min(
        drafts, key=lambda each: (each.status is not DraftStatus.WAITING, each.doc_entry), default=None
    )
