"""Spreads the batches or serial numbers that a person picked over what a line gives back."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import ROUND_FLOOR, Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.rules.model import ZERO, Allocation, Planning, PlanningLine


class PicksMismatchError(Exception):
    """The picks don't add up to what the line gives back.

    Attributes:
        picked: What they add up to.
        allocated: What the line gives back.
    """

    def __init__(self, picked: Decimal, allocated: Decimal) -> None:
        super().__init__(f"picked {picked}, allocated {allocated}")
        self.picked = picked
        self.allocated = allocated


@frozen
class Pick:
    """A batch with its quantity in inventory units, or one serial number.

    Attributes:
        quantity: Inventory units, above zero; 1 for a serial number.
    """

    quantity: Decimal
    batch: str | None = None
    serial: str | None = None

    @property
    def name(self) -> str:
        """Number of the batch, or the serial number."""
        return self.batch or self.serial or ""


def picks_of(allocations: Iterable[Allocation]) -> list[Pick]:
    """Return what was picked for these allocations, each batch once, in order of appearance."""
    batches: dict[str, Decimal] = {}
    picks: list[Pick] = []
    for allocation in allocations:
        if allocation.batch is not None:
            batches[allocation.batch] = batches.get(allocation.batch, ZERO) + allocation.inventory
        elif allocation.serial is not None:
            picks.append(Pick(Decimal(1), serial=allocation.serial))
    return [*(Pick(quantity, batch=batch) for batch, quantity in batches.items()), *picks]


def spread(
    allocations: Sequence[Allocation], picks: Sequence[Pick], *, decimals: int
) -> tuple[Allocation, ...]:
    """Cut allocations so that each part has one pick; picks are used in their order, oldest receipt first.

    The document quantities of the parts of one receipt line add up to what it had before.

    Args:
        allocations: Of one line, without picks.
        picks: To use all of.
        decimals: Decimals that the ERP keeps for quantities.

    Raises:
        PicksMismatchError: They don't add up to the same quantity.
    """
    allocated = sum((allocation.inventory for allocation in allocations), ZERO)
    picked = sum((pick.quantity for pick in picks), ZERO)
    if picked != allocated:
        raise PicksMismatchError(picked, allocated)
    return keep(allocations, picks, decimals=decimals)


def keep(
    allocations: Sequence[Allocation], picks: Sequence[Pick], *, decimals: int
) -> tuple[Allocation, ...]:
    """Spread picks as far as they fit; what no pick is left for stays without one.

    Args:
        allocations: Of one line, without picks.
        picks: In the order of their use.
        decimals: Decimals that the ERP keeps for quantities.
    """
    waiting = list(reversed(picks))
    parts: list[Allocation] = []
    for allocation in allocations:
        inventory, document = allocation.inventory, allocation.document
        while inventory > 0:
            pick = waiting.pop() if waiting else Pick(inventory)
            share = min(pick.quantity, inventory)
            if share < pick.quantity:
                waiting.append(attrs.evolve(pick, quantity=pick.quantity - share))
            inventory -= share
            cut = document if not inventory else _in_document_units(share, allocation, decimals)
            document -= cut
            parts.append(
                attrs.evolve(allocation, inventory=share, document=cut, batch=pick.batch, serial=pick.serial)
            )
    return tuple(parts)


def _in_document_units(share: Decimal, allocation: Allocation, decimals: int) -> Decimal:
    step = Decimal(1).scaleb(-decimals)
    return (share / allocation.receipt.factor).quantize(step, rounding=ROUND_FLOOR)


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

    def find_lack(self, item_code: str, picks: Sequence[Pick]) -> tuple[Pick, Decimal] | None:
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
