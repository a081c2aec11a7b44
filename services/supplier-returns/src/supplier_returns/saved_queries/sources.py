"""Stock and open receipts for planning, read by stored queries in the signed-in user's ERP session."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from sys import intern
from typing import Final

import msgspec
from typing_extensions import override

from erpclient import Caller, ErpClient
from supplier_returns.planning.collecting import cycles_uncollected
from supplier_returns.planning.model import Management, OpenReceiptLine, StockItem
from supplier_returns.planning.ports import ReceiptReader, StockReader
from supplier_returns.saved_queries.definitions import OPEN_RECEIPTS, STOCK
from supplier_returns.saved_queries.errors import QueryIncomplete
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.saved_queries.reader import PAGE_ROWS, QueryReader

_YES: Final = "Y"
_ONE: Final = Decimal(1)


class StockRow(msgspec.Struct, kw_only=True):
    """A row of `DP_Stock`."""

    key: int = msgspec.field(name="ItmsGrpCod")
    rows: int = msgspec.field(name="Filas")
    item_code: str = msgspec.field(name="ItemCode")
    name: str = msgspec.field(name="ItemName")
    unit: str = msgspec.field(name="InvntryUom")
    on_hand: Decimal = msgspec.field(name="OnHand")
    batches: str | None = msgspec.field(name="ManBtchNum")
    serials: str | None = msgspec.field(name="ManSerNum")
    frozen: str | None = msgspec.field(name="frozenFor")

    @property
    def count(self) -> int | None:
        """How many rows there should be, for the row that counts; an item always has a code."""
        return None if self.item_code else self.rows

    def as_item(self) -> StockItem:
        """Return it as planning sees it."""
        management = Management.NONE
        if self.serials == _YES:
            management = Management.SERIALS
        elif self.batches == _YES:
            management = Management.BATCHES
        return StockItem(
            self.item_code, self.name, self.unit, self.on_hand, management, is_active=self.frozen != _YES
        )


class ReceiptRow(msgspec.Struct, kw_only=True):
    """A row of `DP_EntradasAbiertas`."""

    key: int = msgspec.field(name="DocEntry")
    rows: int = msgspec.field(name="Filas")
    line_num: int = msgspec.field(name="LineNum")
    doc_num: int = msgspec.field(name="DocNum")
    doc_date: str | None = msgspec.field(name="DocDate")
    card_code: str = msgspec.field(name="CardCode")
    card_name: str = msgspec.field(name="CardName")
    tax_id: str = msgspec.field(name="LicTradNum")
    reference: str = msgspec.field(name="NumAtCard")
    item_code: str = msgspec.field(name="ItemCode")
    open_document: Decimal = msgspec.field(name="OpenQty")
    open_inventory: Decimal = msgspec.field(name="OpenInvQty")
    factor: Decimal = msgspec.field(name="NumPerMsr")
    price: Decimal = msgspec.field(name="Price")
    currency: str = msgspec.field(name="DocCur")
    tax_code: str = msgspec.field(name="TaxCode")
    branch: int = msgspec.field(name="BPLId")

    @property
    def count(self) -> int | None:
        """How many rows there should be, for the row that counts; a line of goods always has an item."""
        return None if self.item_code else self.rows

    def as_line(self) -> OpenReceiptLine:
        """Return it as planning sees it; texts that repeat from line to line are kept once.

        Raises:
            ValueError: its date is none.
        """
        return OpenReceiptLine(
            doc_entry=self.key,
            line_num=self.line_num,
            doc_date=_date(self.doc_date or ""),
            item_code=intern(self.item_code),
            card_code=intern(self.card_code),
            currency=intern(self.currency),
            branch=self.branch or None,
            open_inventory=self.open_inventory,
            open_document=self.open_document,
            factor=self.factor if self.factor > 0 and self.factor != _ONE else _ONE,
            doc_num=self.doc_num,
            supplier_reference=self.reference,
            supplier_name=intern(self.card_name),
            supplier_tax_id=intern(self.tax_id),
            price=self.price,
            tax_code=intern(self.tax_code),
        )


class ErpStock(StockReader):
    """The stock of a warehouse, for one request.

    Args:
        reader: runs `DP_Stock`.
        erp: the signed-in user's session.
        caller: for whom.
    """

    def __init__(self, reader: QueryReader[StockRow], erp: ErpClient, caller: Caller) -> None:
        self._reader = reader
        self._erp = erp
        self._caller = caller

    @override
    async def read_stock(self, whs_code: str, *, item_code: str | None = None) -> Sequence[StockItem]:
        """As `planning.ports.StockReader.read_stock`."""
        return await self._reader.read(
            self._erp,
            self._caller,
            convert=partial(_items, item_code=item_code),
            whs_code=whs_code,
            item_code=item_code,
        )


class ErpReceipts(ReceiptReader):
    """The open receipts of a warehouse, for one request.

    Args:
        reader: runs `DP_EntradasAbiertas`.
        erp: the signed-in user's session.
        caller: for whom.
    """

    def __init__(self, reader: QueryReader[ReceiptRow], erp: ErpClient, caller: Caller) -> None:
        self._reader = reader
        self._erp = erp
        self._caller = caller

    @override
    async def read_open_receipts(
        self, whs_code: str, *, item_code: str | None = None
    ) -> Sequence[OpenReceiptLine]:
        """As `planning.ports.ReceiptReader.read_open_receipts`."""
        try:
            return await self._reader.read(
                self._erp,
                self._caller,
                convert=partial(_lines, item_code=item_code),
                whs_code=whs_code,
                item_code=item_code,
            )
        except ValueError as error:
            raise QueryIncomplete from error


class StoredQueries:
    """Makes the sources of one request. One for the whole process.

    Args:
        installer: keeps the queries installed.
        page_rows: rows asked for at a time.
    """

    def __init__(self, installer: QueryInstaller, *, page_rows: int = PAGE_ROWS) -> None:
        self._stock = QueryReader(STOCK, StockRow, installer, page_rows=page_rows)
        self._receipts = QueryReader(OPEN_RECEIPTS, ReceiptRow, installer, page_rows=page_rows)

    def stock(self, erp: ErpClient, caller: Caller) -> ErpStock:
        """Return what reads stock in this session."""
        return ErpStock(self._stock, erp, caller)

    def receipts(self, erp: ErpClient, caller: Caller) -> ErpReceipts:
        """Return what reads open receipts in this session."""
        return ErpReceipts(self._receipts, erp, caller)


def _items(rows: Sequence[StockRow], item_code: str | None) -> list[StockItem]:
    with cycles_uncollected():
        return [row.as_item() for row in rows if _wanted(row, item_code)]


def _lines(rows: Sequence[ReceiptRow], item_code: str | None) -> list[OpenReceiptLine]:
    with cycles_uncollected():
        return [row.as_line() for row in rows if _wanted(row, item_code)]


def _wanted(row: StockRow | ReceiptRow, item_code: str | None) -> bool:
    return item_code is None or row.item_code == item_code


def _date(text: str) -> date:
    """Read `20201007`, as stored queries answer dates (SAP manual 1.29), or `2020-10-07…`."""
    return date.fromisoformat(text[:10] if "-" in text else f"{text[:4]}-{text[4:6]}-{text[6:8]}")
