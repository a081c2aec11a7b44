"""Contents of a warehouse. Quantities are in the inventory unit of the item.

A warehouse has tens of thousands of these structures. The cyclic garbage collector ignores them: they contain
no reference cycles, and scanning a million of them would stop the service for a tenth of a second.
"""

import enum
from datetime import date
from decimal import Decimal

import msgspec
from attrs import frozen


class Management(enum.Enum):
    """Management of an item by batches or serial numbers. The value is its API name."""

    NONE = "ninguna"
    BATCHES = "lotes"
    SERIALS = "series"


class DateRange(msgspec.Struct, frozen=True, gc=False):
    """Range of dates, both ends included. None leaves an end open."""

    first: date | None = None
    last: date | None = None

    def has(self, day: date) -> bool:
        """Return whether the range contains a date."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


class StockItem(msgspec.Struct, frozen=True, gc=False):
    """Item in one warehouse.

    Attributes:
        code: item code, as the ERP spells it.
        unit: name of the inventory unit.
        on_hand: stock in the warehouse, in inventory units. It may be negative.
        frozen: dates on which documents can't use the item, if any.
        valid: only dates on which documents can use it. None means all.
    """

    code: str
    name: str
    unit: str
    on_hand: Decimal
    management: Management = Management.NONE
    frozen: DateRange | None = None
    valid: DateRange | None = None

    def is_active_on(self, day: date) -> bool:
        """Return whether documents of this date can use the item."""
        is_frozen = self.frozen is not None and self.frozen.has(day)
        return not is_frozen and (self.valid is None or self.valid.has(day))


@frozen
class WarehouseFacts:
    """Properties of a warehouse that planning needs.

    Attributes:
        code: warehouse code, as the ERP spells it.
        name: name. Empty if it was not read.
        has_bins: whether it uses bin locations. The service can plan such returns, but not create them.
        is_active: whether documents may use it.
    """

    code: str
    name: str = ""
    has_bins: bool = False
    is_active: bool = True
