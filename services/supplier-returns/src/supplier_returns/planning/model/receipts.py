"""Open lines of goods receipts.

Quantities are in the inventory unit unless a name says ``document``: a receipt line may count in boxes while
the stock counts in pieces. Like stock, lines are ignored by the cyclic garbage collector.
"""

from datetime import date
from decimal import Decimal

import msgspec


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
