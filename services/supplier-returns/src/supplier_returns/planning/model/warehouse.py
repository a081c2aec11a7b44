"""What a warehouse has. Quantities are in the inventory unit of the item.

Warehouses have tens of thousands of these. They are structures that the cyclic garbage collector ignores:
none can contain itself, and walking through a million of them would stop the service for a tenth of a second.
"""

import enum
from datetime import date
from decimal import Decimal

import msgspec
from attrs import frozen


class Management(enum.Enum):
    """Whether single units of an item are told apart; the value is its name on the wire."""

    NONE = "ninguna"
    BATCHES = "lotes"
    SERIALS = "series"


class DateRange(msgspec.Struct, frozen=True, gc=False):
    """Days from one to another, both among them; None where an end is open."""

    first: date | None = None
    last: date | None = None

    def has(self, day: date) -> bool:
        """Tell whether a day is among them."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


class StockItem(msgspec.Struct, frozen=True, gc=False):
    """What the ERP knows of an item in one warehouse.

    Attributes:
        code: The ERP's own spelling.
        unit: Name of the inventory unit.
        on_hand: Stock in the warehouse, inventory units; may be negative.
        frozen: Days on which the ERP lets no document use it, None for none.
        valid: The only days on which it does, None for all.
    """

    code: str
    name: str
    unit: str
    on_hand: Decimal
    management: Management = Management.NONE
    frozen: DateRange | None = None
    valid: DateRange | None = None

    def is_active_on(self, day: date) -> bool:
        """Tell whether the ERP lets documents of a day use it."""
        is_frozen = self.frozen is not None and self.frozen.has(day)
        return not is_frozen and (self.valid is None or self.valid.has(day))


@frozen
class WarehouseFacts:
    """What planning has to know of a warehouse.

    Attributes:
        code: The ERP's own spelling.
        name: Empty where nobody asked for it.
        has_bins: Whether its stock lies in bins, which this service can plan but not return.
        is_active: Whether documents may use it.
    """

    code: str
    name: str = ""
    has_bins: bool = False
    is_active: bool = True
