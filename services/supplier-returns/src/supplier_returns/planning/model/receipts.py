"""Open lines of goods receipts.

Quantities are in inventory units, except those with ``document`` in their names: a receipt line may count
boxes while the stock counts pieces. As for stock, the cyclic garbage collector ignores these structures.
"""

from datetime import date
from decimal import Decimal

import msgspec


class OpenReceiptLine(msgspec.Struct, frozen=True, gc=False):
    """Goods receipt line with a returnable quantity.

    Attributes:
        doc_entry: key of the receipt, not the number that users see.
        line_num: 0-based line number of the ERP.
        doc_date: posting date of the receipt.
        open_inventory: open quantity in inventory units, above zero.
        open_document: open quantity in units of the line.
        factor: inventory units in one unit of the line, above zero.
        currency: currency of the receipt, which a return keeps.
        branch: business place. None in a company without branches.
        doc_num: number that users see.
        supplier_reference: delivery number of the supplier, possibly empty.
        supplier_name: possibly empty.
        supplier_tax_id: RUT, possibly empty.
        price: price of one unit of the line, in the receipt's currency.
        tax_code: possibly empty.
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
        """Sort key by posting date, document key and line number, as one unique integer.

        One integer compares faster than a tuple of three.
        """
        # The ERP's keys and line numbers have at most 31 bits, so the parts do not overlap.
        return (self.doc_date.toordinal() << 62) | (self.doc_entry << 31) | self.line_num
