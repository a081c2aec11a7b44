"""Items that other open plannings take from a warehouse."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from attrs import frozen


@frozen
class OpenPlan:
    """Open planning of a warehouse.

    Attributes:
        number: number that users see.
        user: ERP user code of its creator.
        items: codes of the items that it still has to return.
    """

    number: int
    user: str
    items: AbstractSet[str]


@frozen
class OpenPlans:
    """Open plannings of a warehouse.

    Attributes:
        open_plans: plannings that were read, newest first.
        is_complete: whether there are no others.
    """

    open_plans: Sequence[OpenPlan] = ()
    is_complete: bool = True
