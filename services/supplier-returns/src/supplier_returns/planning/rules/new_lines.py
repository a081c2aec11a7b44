"""What is asked becomes lines: rows of the same item and the same reason are one line. Pure."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from attrs import frozen

from supplier_returns.planning.rules.plannings import ZERO, PlanningLine


@frozen
class AskedItem:
    """What is asked back of one item for one reason, in one place of a paste or of a request.

    Attributes:
        quantity: Inventory units, above zero.
        reason: Code of a valid value, None for none.
        rows: Rows of the pasted text that say so.
    """

    item_code: str
    quantity: Decimal
    reason: str | None
    rows: Sequence[int]


def new_lines(asked: Iterable[AskedItem]) -> list[PlanningLine]:
    """Make lines, numbered from 1 in order of first appearance; quantities and rows are added up."""
    together: dict[tuple[str, str | None], list[AskedItem]] = {}
    for each in asked:
        together.setdefault((each.item_code, each.reason), []).append(each)
    return [
        PlanningLine(
            line_id=line_id,
            item_code=item_code,
            quantity=sum((each.quantity for each in parts), ZERO),
            reason=reason,
            rows=tuple(row for each in parts for row in each.rows),
        )
        for line_id, ((item_code, reason), parts) in enumerate(together.items(), start=1)
    ]
