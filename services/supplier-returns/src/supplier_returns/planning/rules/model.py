"""The values that planning works on: frozen, with `Decimal` quantities and without any I/O.

Quantities are in the item's inventory unit unless a name says ``document``: a receipt line may count in boxes
while the stock counts in pieces.

What a warehouse has by the ten thousand are structures that the cyclic garbage collector does not know: none
can hold itself, and fifty plans at once would make it walk through a million of them, for a tenth of a second
in which nobody else is served.
"""

import enum
from datetime import date
from decimal import Decimal

import msgspec
from attrs import frozen


@frozen
class WantedItem:
    """What is asked back of one item, for one reason.

    Attributes:
        line_id: Identifies the line among those planned together.
        item_code: The ERP's own spelling of the code.
        quantity: Inventory units, above zero.
        card_code: The only supplier it may go back to; None for any.
    """

    line_id: int
    item_code: str
    quantity: Decimal
    card_code: str | None = None


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


class OpenReceiptLine(msgspec.Struct, frozen=True, gc=False):
    """A line of a goods receipt that can still be returned.

    Attributes:
        doc_entry: The receipt's key (not the number people see).
        line_num: The ERP's 0-based line number.
        doc_date: Posting date of the receipt.
        open_inventory: What is still open, in inventory units, above zero.
        open_document: The same in the line's own unit.
        factor: Inventory units in one unit of the line, above zero.
        currency: Of the document; a return keeps it.
        branch: Business place, None in a company without branches.
        doc_num: The number that people see.
        supplier_reference: The supplier's own number of the delivery, possibly empty.
        supplier_name: Possibly empty.
        supplier_tax_id: RUT, possibly empty.
        price: For one unit of the line, in the document's currency.
        tax_code: Possibly empty.
    """

    doc_entry: int
    line_num: int
    doc_date: date
    item_code: str
    card_code: str
    currency: str
    branch: int | None
    open_inventory: Decimal
    open_document: Decimal
    factor: Decimal = Decimal(1)
    doc_num: int = 0
    supplier_reference: str = ""
    supplier_name: str = ""
    supplier_tax_id: str = ""
    price: Decimal = Decimal(0)
    tax_code: str = ""

    @property
    def age(self) -> int:
        """A number that is smaller the older the line is: by posting date, document key, line number.

        One number compares faster than three. No two receipt lines share it.
        """
        return (self.doc_date.toordinal() << 62) | (self.doc_entry << 31) | self.line_num


@frozen(slots=True)
class Allocation:
    """A part of a wanted item that goes back against one receipt line.

    Attributes:
        line_id: The wanted line it serves.
        receipt: The receipt line it goes back against.
        inventory: Inventory units.
        document: The same in the receipt line's unit.
    """

    line_id: int
    receipt: OpenReceiptLine
    inventory: Decimal
    document: Decimal


@frozen
class PlannedItem:
    """What became of one wanted line: ``quantity = allocated + no_stock + no_receipt + indivisible``.

    Attributes:
        wanted: The line as asked.
        stock: Stock on hand that this line could draw on.
        allocations: Oldest receipt first.
        no_stock: Asked, but not in the warehouse.
        no_receipt: In the warehouse, but without an open receipt to return it against.
        indivisible: Open, but not expressible in the receipt line's unit with the ERP's decimals.
    """

    wanted: WantedItem
    stock: Decimal
    allocations: tuple[Allocation, ...]
    no_stock: Decimal
    no_receipt: Decimal
    indivisible: Decimal

    @property
    def allocated(self) -> Decimal:
        """Inventory units that can go back."""
        return sum((allocation.inventory for allocation in self.allocations), Decimal(0))


@frozen
class ReturnDraft:
    """One return document to be: one supplier, one currency, one branch.

    Attributes:
        part: 1-based number among the documents of the same supplier, currency and branch.
        lines: The allocations grouped by receipt line, oldest first; each group becomes one document line.
    """

    card_code: str
    currency: str
    branch: int | None
    part: int
    lines: tuple[tuple[Allocation, ...], ...]


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


@frozen
class Reason:
    """A valid value of the reason for a return."""

    code: str
    name: str
