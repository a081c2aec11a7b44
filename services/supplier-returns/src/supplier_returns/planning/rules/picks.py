"""Spreads the batches or serial numbers that a person picked over what a line gives back."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_FLOOR, Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.model.lines import Allocation
from supplier_returns.quantities import ZERO


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
