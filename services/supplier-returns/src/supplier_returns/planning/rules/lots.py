"""Batches and serial numbers in a warehouse, and the choices of a line."""

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
    """Batch or serial number of an item in a warehouse.

    Attributes:
        item_code: item code, as the ERP spells it.
        name: batch number or serial number. An item has only one of the two kinds.
        quantity: inventory units in the warehouse, above zero. 1 for a serial number.
        expires: expiry date, if the ERP has one.
        admitted: date of its arrival, if the ERP has one.
    """

    item_code: str
    name: str
    quantity: Decimal
    expires: date | None = None
    admitted: date | None = None


@frozen
class LotChoice:
    """Lot that a line may pick.

    Attributes:
        picked: inventory units that the line has picked.
        available: inventory units that the line may pick, because no other line of the planning uses them.
    """

    lot: Lot
    picked: Decimal
    available: Decimal


class Lots:
    """Available quantity of each lot, reduced by picks.

    Args:
        lots: lots in the warehouse.
    """

    def __init__(self, lots: Iterable[Lot]) -> None:
        self._available: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
        for lot in lots:
            # The same batch number may have several rows.
            self._available[lot.item_code, lot.name] += lot.quantity

    def available(self, item_code: str, name: str) -> Decimal:
        """Return the available quantity of a lot, in inventory units."""
        return max(ZERO, self._available[item_code, name])

    def take(self, item_code: str, picks: Iterable[Pick], *, most: Decimal) -> list[Pick]:
        """Take the available part of these picks, up to `most` inventory units in total, and return it."""
        taken: list[Pick] = []
        for pick in picks:
            quantity = min(pick.quantity, most, self.available(item_code, pick.name))
            if quantity > 0:
                most -= quantity
                self._available[item_code, pick.name] -= quantity
                taken.append(attrs.evolve(pick, quantity=quantity))
        return taken

    def find_shortage(self, item_code: str, picks: Sequence[Pick]) -> tuple[Pick, Decimal] | None:
        """Take picks in their order, up to the first that exceeds its lot.

        Returns:
            that pick and the available quantity. None if all picks fit.
        """
        for pick in picks:
            available = self.available(item_code, pick.name)
            if pick.quantity > available:
                return pick, available
            self._available[item_code, pick.name] -= pick.quantity
        return None

    def reserve(self, item_code: str, parts: Iterable[Allocation]) -> None:
        """Subtract the picks of these parts, even below zero."""
        for part in parts:
            if part.lot is not None:
                self._available[item_code, part.lot] -= part.inventory


def available_lots(lots: Iterable[Lot], planning: Planning, line: PlanningLine) -> Lots:
    """Return the lots of a line's item, without the picks of the planning's other lines.

    Picks in created returns are not subtracted, because the ERP's stock already lacks them. Picks in
    cancelled returns are back in stock.
    """
    available = Lots(lots)
    made_ids = {document.doc_id for document in planning.documents if document.state.is_made}
    for other in planning.lines:
        if other.line_id != line.line_id and other.item_code == line.item_code:
            available.reserve(
                line.item_code, (part for part in other.allocations if part.doc_id not in made_ids)
            )
    return available


def lot_choices(lots: Iterable[Lot], planning: Planning, line: PlanningLine) -> list[LotChoice]:
    """Return the lots that the line may pick, ordered by expiry date and then by arrival."""
    # A lot without a date comes last.
    lots = sorted(lots, key=lambda lot: (lot.expires or date.max, lot.admitted or date.max, lot.name))
    available = available_lots(lots, planning, line)
    picked: defaultdict[str | None, Decimal] = defaultdict(Decimal)
    for part in line.allocations:
        picked[part.lot] += part.inventory
    return [
        LotChoice(lot, picked[lot.name], min(lot.quantity, available.available(lot.item_code, lot.name)))
        for lot in lots
    ]
