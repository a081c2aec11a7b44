"""What other open plannings take from a warehouse."""

from collections.abc import Sequence
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
        open_plans: Newest first.
        are_all: Whether there are no others.
    """

    open_plans: Sequence[OpenPlan] = ()
    are_all: bool = True
