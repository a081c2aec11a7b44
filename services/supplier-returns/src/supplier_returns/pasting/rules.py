"""Rules for parsing a paste."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from attrs import field, frozen

from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.limits import PasteLimits
from supplier_returns.pasting.numbers import NumberFormat


@frozen
class PasteRules:
    """Rules for parsing a paste.

    Attributes:
        whs_code: warehouse of the planning. A row with another one is a problem.
        number_format: format of ambiguous quantities if the column does not prove one.
        decimals: decimals of quantities in the ERP.
        existing_codes: item codes of the ERP that look like something else, spelled as in the text.
        columns: 0-based position of each column. None recognizes them.
    """

    whs_code: str
    number_format: NumberFormat = NumberFormat.AUTO
    decimals: int = 6
    existing_codes: AbstractSet[str] = frozenset()
    columns: Mapping[Column, int] | None = None
    limits: PasteLimits = field(factory=PasteLimits)
