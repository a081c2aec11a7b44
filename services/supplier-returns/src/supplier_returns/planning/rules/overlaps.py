"""Which other open plannings plan the same stock. Values in, values out."""

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from attrs import frozen


@frozen
class OpenPlan:
    """What an open planning takes from its warehouse.

    Attributes:
        number: Number that people see.
        user: ERP user code of who made it.
        items: Codes of the items that are still to go back with it.
    """

    number: int
    user: str
    items: AbstractSet[str]


@frozen
class OpenPlans:
    """The open plannings of a warehouse, as far as they could be looked at.

    Attributes:
        known: Newest first.
        are_all: Whether there are no others.
    """

    known: Sequence[OpenPlan] = ()
    are_all: bool = True


@frozen
class Overlap:
    """Items that another open planning plans too, sorted."""

    plan: OpenPlan
    items: Sequence[str]


def overlaps(items: Collection[str], others: Collection[OpenPlan]) -> Iterator[Overlap]:
    """Yield the plannings that plan some of these items, with those items."""
    for other in others:
        both = sorted(other.items & set(items))
        if both:
            yield Overlap(other, both)
