"""Distribute the picked batches or serial numbers over the allocations of a line."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.model.lines import Allocation
from supplier_returns.quantities import ZERO


class PicksMismatchError(Exception):
    """The picks do not add up to the line's allocated quantity.

    Attributes:
        picked: sum of the picks.
        allocated: allocated quantity of the line.
    """

    def __init__(self, picked: Decimal, allocated: Decimal) -> None:
        super().__init__(f"picked {picked}, allocated {allocated}")
        self.picked = picked
        self.allocated = allocated


@frozen
class Pick:
    """Quantity of a batch, or one serial number.

    Attributes:
        quantity: inventory units, above zero. 1 for a serial number.
    """

    quantity: Decimal
    batch: str | None = None
    serial: str | None = None

    @property
    def name(self) -> str:
        """Number of the batch, or the serial number."""
        return self.batch or self.serial or ""


def picks_of(allocations: Iterable[Allocation]) -> list[Pick]:
    """Return the picks of these allocations, each batch once, in order of appearance."""
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
    """Split allocations so that each part has one pick. Picks are used in order, oldest receipt first.

    The document quantities of the parts of a receipt line add up to its former quantity.

    Args:
        allocations: allocations of one line, without picks.
        picks: picks, all of which are used.
        decimals: decimals of quantities in the ERP.

    Raises:
        PicksMismatchError: the sums differ.
    """
    allocated = sum((allocation.inventory for allocation in allocations), ZERO)
    picked = sum((pick.quantity for pick in picks), ZERO)
    if picked != allocated:
        raise PicksMismatchError(picked, allocated)
    return keep(allocations, picks, decimals=decimals)


def keep(
    allocations: Sequence[Allocation], picks: Sequence[Pick], *, decimals: int
) -> tuple[Allocation, ...]:
    """Distribute picks as far as they fit. Allocations without a remaining pick stay without one.

    Args:
        allocations: allocations of one line, without picks.
        picks: picks in the order of their use.
        decimals: decimals of quantities in the ERP.
    """
    # Reversed, because `pop` and `append` at the end take constant time.
    unused = list(reversed(picks))
    parts: list[Allocation] = []
    for allocation in allocations:
        inventory, document = allocation.inventory, allocation.document
        while inventory > 0:
            pick = unused.pop() if unused else Pick(inventory)
            share = min(pick.quantity, inventory)
            if share < pick.quantity:
                unused.append(attrs.evolve(pick, quantity=pick.quantity - share))
            inventory -= share
            # The last part gets the remaining document units, so that rounding does not change the sum.
            cut = document if not inventory else _in_document_units(share, allocation, decimals)
            document -= cut
            parts.append(
                attrs.evolve(allocation, inventory=share, document=cut, batch=pick.batch, serial=pick.serial)
            )
    return tuple(parts)


def _in_document_units(share: Decimal, allocation: Allocation, decimals: int) -> Decimal:
    step = Decimal(1).scaleb(-decimals)
    return (share / allocation.receipt.factor).quantize(step, rounding=ROUND_FLOOR)
