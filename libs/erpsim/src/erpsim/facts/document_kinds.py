"""Table of the kinds of marketing documents and their differences.

Object numbers and table names: the metadata's `BoObjectTypes` and the vendor's table names.
"""

from __future__ import annotations

import enum

import attrs


class Side(enum.Enum):
    """Partner type of a document."""

    SALES = "cCustomer"
    PURCHASING = "cSupplier"
    INVENTORY = "none"


class Posting(enum.Enum):
    """Ledger bookings of a document (see `erpsim.business.documents.postings`)."""

    NONE = "none"
    STOCK = "stock"
    INVOICE = "invoice"


class Ending(enum.Enum):
    """Ways to undo a document."""

    DIRECT = "cancelled in place"
    BY_DOCUMENT = "by a cancellation document"
    NEVER = "never"


@attrs.frozen(kw_only=True)
class Kind:
    """One kind of document.

    Args:
        set_name: entity set.
        code: object number, `BaseType` of lines drawn from it.
        table: header table; lines are in the table of the same letters with 1.
        side: type of its partner.
        stock: 1 brings goods in, -1 takes them out, 0 moves nothing.
        posting: its ledger bookings.
        reserves: item and warehouse quantity it raises while open (`Committed`, `Ordered`), None for none.
        bases: object numbers its lines may be drawn from.
        ending: how it is undone.
        reverses: whether amounts run against the normal direction (returns, credit notes).
    """

    set_name: str
    code: int
    table: str
    side: Side
    stock: int = 0
    posting: Posting = Posting.NONE
    reserves: str | None = None
    bases: tuple[int, ...] = ()
    ending: Ending = Ending.DIRECT
    reverses: bool = False

    @property
    def line_table(self) -> str:
        """Name of the line table, as messages show it."""
        return f"{self.table[1:]}1"

    @property
    def settled(self) -> bool:
        """True if payments close it."""
        return self.posting is Posting.INVOICE


_SALES = (
    Kind(set_name="Quotations", code=23, table="OQUT", side=Side.SALES),
    Kind(set_name="Orders", code=17, table="ORDR", side=Side.SALES, reserves="Committed", bases=(23,)),
    Kind(
        set_name="DeliveryNotes",
        code=15,
        table="ODLN",
        side=Side.SALES,
        stock=-1,
        posting=Posting.STOCK,
        bases=(23, 17),
        ending=Ending.BY_DOCUMENT,
    ),
    Kind(set_name="ReturnRequest", code=234000031, table="ORRR", side=Side.SALES, bases=(15, 13)),
    Kind(
        set_name="Returns",
        code=16,
        table="ORDN",
        side=Side.SALES,
        stock=1,
        posting=Posting.STOCK,
        bases=(15, 234000031),
        ending=Ending.BY_DOCUMENT,
        reverses=True,
    ),
    Kind(
        set_name="Invoices",
        code=13,
        table="OINV",
        side=Side.SALES,
        stock=-1,
        posting=Posting.INVOICE,
        bases=(23, 17, 15),
        ending=Ending.BY_DOCUMENT,
    ),
    Kind(
        set_name="CreditNotes",
        code=14,
        table="ORIN",
        side=Side.SALES,
        stock=1,
        posting=Posting.INVOICE,
        bases=(13, 16, 234000031),
        ending=Ending.BY_DOCUMENT,
        reverses=True,
    ),
)
_PURCHASING = (
    Kind(set_name="PurchaseRequests", code=1470000113, table="OPRQ", side=Side.INVENTORY),
    Kind(
        set_name="PurchaseQuotations", code=540000006, table="OPQT", side=Side.PURCHASING, bases=(1470000113,)
    ),
    Kind(
        set_name="PurchaseOrders",
        code=22,
        table="OPOR",
        side=Side.PURCHASING,
        reserves="Ordered",
        bases=(1470000113, 540000006),
    ),
    Kind(
        set_name="PurchaseDeliveryNotes",
        code=20,
        table="OPDN",
        side=Side.PURCHASING,
        stock=1,
        posting=Posting.STOCK,
        bases=(22,),
        ending=Ending.BY_DOCUMENT,
    ),
    Kind(set_name="GoodsReturnRequest", code=234000032, table="OPRR", side=Side.PURCHASING, bases=(20, 18)),
    Kind(
        set_name="PurchaseReturns",
        code=21,
        table="ORPD",
        side=Side.PURCHASING,
        stock=-1,
        posting=Posting.STOCK,
        bases=(20, 234000032),
        ending=Ending.BY_DOCUMENT,
        reverses=True,
    ),
    Kind(
        set_name="PurchaseInvoices",
        code=18,
        table="OPCH",
        side=Side.PURCHASING,
        stock=1,
        posting=Posting.INVOICE,
        bases=(22, 20),
        ending=Ending.BY_DOCUMENT,
    ),
    Kind(
        set_name="PurchaseCreditNotes",
        code=19,
        table="ORPC",
        side=Side.PURCHASING,
        stock=-1,
        posting=Posting.INVOICE,
        bases=(18, 21, 234000032),
        ending=Ending.BY_DOCUMENT,
        reverses=True,
    ),
)
_INVENTORY = (
    # A Cancel exists in the metadata and does not work (comment of an integrator).
    Kind(
        set_name="InventoryGenEntries",
        code=59,
        table="OIGN",
        side=Side.INVENTORY,
        stock=1,
        posting=Posting.STOCK,
        ending=Ending.NEVER,
    ),
    Kind(
        set_name="InventoryGenExits",
        code=60,
        table="OIGE",
        side=Side.INVENTORY,
        stock=-1,
        posting=Posting.STOCK,
        ending=Ending.NEVER,
    ),
)

KINDS = {kind.set_name: kind for kind in (*_SALES, *_PURCHASING, *_INVENTORY)}
"""By entity set."""
BY_CODE = {kind.code: kind for kind in KINDS.values()}
"""By object number."""
DRAFTS = "Drafts"
ISSUED_ALREADY = frozenset({15, 16, 20, 21})
"""Base documents that already moved the goods: invoices and credit notes drawn from them don't move them
again."""
