"""The batches or serial numbers in a warehouse, and which of them a line may pick."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.quantities import ZERO


@frozen
class Lot:
    """A batch of an item, or one of its serial numbers, as it lies in a warehouse.

    Attributes:
        item_code: The ERP's own spelling.
        name: Number of the batch, or serial number: an item is managed by one kind only.
        quantity: Inventory units in the warehouse, above zero; 1 for a serial number.
        expires: When it expires, None where the ERP does not tell.
        admitted: When it came in, None where the ERP does not tell.
    """

    item_code: str
    name: str
    quantity: Decimal
    expires: date | None = None
    admitted: date | None = None


@frozen
class LotChoice:
    """A lot that a line may pick.

    Attributes:
        picked: Of it, what the line has picked, in inventory units.
        left: Of it, what the line may pick: what no other line of the planning has.
    """

    lot: Lot
    picked: Decimal
    left: Decimal


class Lots:
    """What is left of each lot while picks are taken from it.

    Args:
        lots: As they lie in the warehouse.
    """

    def __init__(self, lots: Iterable[Lot]) -> None:
        self._left: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
        for lot in lots:
            self._left[lot.item_code, lot.name] += lot.quantity

    def left(self, item_code: str, name: str) -> Decimal:
        """Return what can still be picked of a lot, in inventory units."""
        return max(ZERO, self._left[item_code, name])

    def take(self, item_code: str, picks: Iterable[Pick], *, most: Decimal) -> list[Pick]:
        """Take as much of these picks as there is, `most` inventory units in all, and return that."""
        taken: list[Pick] = []
        for pick in picks:
            quantity = min(pick.quantity, most, self.left(item_code, pick.name))
            if quantity > 0:
                most -= quantity
                self._left[item_code, pick.name] -= quantity
                taken.append(attrs.evolve(pick, quantity=quantity))
        return taken

    def find_shortage(self, item_code: str, picks: Sequence[Pick]) -> tuple[Pick, Decimal] | None:
        """Take picks; return the first of which there is less, and what there is. None where all is there."""
        for pick in picks:
            left = self.left(item_code, pick.name)
            if pick.quantity > left:
                return pick, left
            self._left[item_code, pick.name] -= pick.quantity
        return None

    def reserve(self, item_code: str, parts: Iterable[Allocation]) -> None:
        """Take off what these parts picked, whether it is there or not."""
        for part in parts:
            if part.lot is not None:
                self._left[item_code, part.lot] -= part.inventory


def without_others(lots: Iterable[Lot], planning: Planning, line: PlanningLine) -> Lots:
    """Return what a line may pick from: the lots without what other lines of its item picked of them.

    What the ERP has booked for sure has left the warehouse, and what was cancelled lies there again: neither
    is taken off.
    """
    left = Lots(lots)
    settled = {document.doc_id for document in planning.documents if document.state.is_made}
    for other in planning.lines:
        if other.line_id != line.line_id and other.item_code == line.item_code:
            left.reserve(line.item_code, (part for part in other.allocations if part.doc_id not in settled))
    return left


def choices(lots: Iterable[Lot], planning: Planning, line: PlanningLine) -> list[LotChoice]:
    """Return the lots that lie there for a line; what expires first comes first, then what came in first."""
    lots = sorted(lots, key=lambda lot: (lot.expires or date.max, lot.admitted or date.max, lot.name))
    left = without_others(lots, planning, line)
    picked: defaultdict[str | None, Decimal] = defaultdict(Decimal)
    for part in line.allocations:
        picked[part.lot] += part.inventory
    return [
        LotChoice(lot, picked[lot.name], min(lot.quantity, left.left(lot.item_code, lot.name)))
        for lot in lots
    ]
