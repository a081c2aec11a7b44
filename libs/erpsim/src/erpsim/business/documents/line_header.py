"""The fields of a document header that its lines depend on."""

from __future__ import annotations

from decimal import Decimal

import attrs

from erpsim.business.documents.totals import Rounding
from erpsim.company.exchange import Fields
from erpsim.facts.document_kinds import Kind


@attrs.frozen(kw_only=True)
class Header:
    """Header fields that the lines of a document depend on.

    Args:
        kind: of the document.
        partner: its business partner's row, None for inventory documents.
        currency: of the document.
        rounding: of its amounts.
        date: of the taxes.
        posting_date: partners and items have to be active on it.
        discount: header discount in percent.
        service: whether the document is of the service type, whose lines name accounts instead of items.
    """

    kind: Kind
    partner: Fields | None
    currency: str
    rounding: Rounding
    date: str
    posting_date: str
    discount: Decimal
    service: bool

    def place(self, column: str, position: int) -> str:
        """Return the suffix of a refusal: `[PDN1.ItemCode][line: 4]`, counted from 1 (captures)."""
        return f"[{self.kind.line_table}.{column}][line: {position}]"
