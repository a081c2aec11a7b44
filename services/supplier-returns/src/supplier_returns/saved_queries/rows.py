"""Rows of the stored queries, and their conversion to values of planning."""

from datetime import date
from decimal import Decimal
from typing import Final

import msgspec

from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import DateRange, Management, StockItem
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.saved_queries.reader import QueryRow

_YES: Final = "Y"
_ONE: Final = Decimal(1)
_EVER: Final = DateRange()


class StockRow(QueryRow, kw_only=True):
    """Row of `DP_Stock`. Columns that an older text lacks have defaults, so that its version can be read."""

    key: int = msgspec.field(name="ItmsGrpCod")
    name: str = msgspec.field(name="ItemName")
    unit: str = msgspec.field(name="InvntryUom")
    on_hand: Decimal = msgspec.field(name="OnHand")
    batches: str | None = msgspec.field(name="ManBtchNum")
    serials: str | None = msgspec.field(name="ManSerNum")
    valid: str | None = msgspec.field(name="validFor")
    valid_from: str | None = msgspec.field(name="validFrom", default=None)
    valid_to: str | None = msgspec.field(name="validTo", default=None)
    frozen: str | None = msgspec.field(name="frozenFor")
    frozen_from: str | None = msgspec.field(name="frozenFrom", default=None)
    frozen_to: str | None = msgspec.field(name="frozenTo", default=None)

    def as_item(self) -> StockItem:
        """Convert the row to a value of planning.

        Raises:
            ValueError: a date is invalid.
        """
        # An item has batches or serial numbers, never both.
        management = Management.NONE
        if self.serials == _YES:
            management = Management.SERIALS
        elif self.batches == _YES:
            management = Management.BATCHES
        return StockItem(
            self.item_code,
            self.name,
            self.unit,
            self.on_hand,
            management,
            frozen=_days(self.frozen_from, self.frozen_to) if self.frozen == _YES else None,
            valid=_days(self.valid_from, self.valid_to) if self.valid == _YES else None,
        )


class ReceiptRow(QueryRow, kw_only=True):
    """Row of `DP_EntradasAbiertas`."""

    key: int = msgspec.field(name="DocEntry")
    line_num: int = msgspec.field(name="LineNum")
    doc_num: int = msgspec.field(name="DocNum")
    doc_date: str | None = msgspec.field(name="DocDate")
    card_code: str = msgspec.field(name="CardCode")
    card_name: str = msgspec.field(name="CardName")
    tax_id: str = msgspec.field(name="LicTradNum")
    reference: str = msgspec.field(name="NumAtCard")
    open_document: Decimal = msgspec.field(name="OpenQty")
    open_inventory: Decimal = msgspec.field(name="OpenInvQty")
    factor: Decimal = msgspec.field(name="NumPerMsr")
    price: Decimal = msgspec.field(name="Price")
    currency: str = msgspec.field(name="DocCur")
    tax_code: str = msgspec.field(name="TaxCode")
    branch: int = msgspec.field(name="BPLId")


class LotRow(QueryRow, kw_only=True):
    """Row of `DP_Lotes` or `DP_Series`."""

    key: int = msgspec.field(name="SysNumber")
    name: str = msgspec.field(name="DistNumber")
    quantity: Decimal = msgspec.field(name="Quantity")
    expires: str | None = msgspec.field(name="ExpDate")
    admitted: str | None = msgspec.field(name="InDate")

    def as_lot(self) -> Lot:
        """Convert the row to a value of planning.

        Raises:
            ValueError: a date is invalid.
        """
        return Lot(self.item_code, self.name, self.quantity, _day(self.expires), _day(self.admitted))


class SharedLines:
    """Creates receipt lines that share equal dates, texts and numbers.

    200,000 lines with values of their own would take three times the memory. Use one instance for each
    result.
    """

    def __init__(self) -> None:
        self._dates: dict[str, date] = {}
        self._texts: dict[str, str] = {}
        self._integers: dict[int, int] = {}
        self._numbers: dict[Decimal, Decimal] = {_ONE: _ONE}

    def keep(self, row: ReceiptRow) -> OpenReceiptLine:
        """Convert the row to a value of planning.

        Raises:
            ValueError: its date is invalid.
        """
        text, number, integer = self._texts.setdefault, self._numbers.setdefault, self._integers.setdefault
        return OpenReceiptLine(
            doc_entry=integer(row.key, row.key),
            line_num=row.line_num,
            doc_date=self._date(row.doc_date or ""),
            item_code=text(row.item_code, row.item_code),
            card_code=text(row.card_code, row.card_code),
            currency=text(row.currency, row.currency),
            # The query returns 0 in a company without branches.
            branch=row.branch or None,
            open_inventory=number(row.open_inventory, row.open_inventory),
            open_document=number(row.open_document, row.open_document),
            factor=number(row.factor, row.factor) if row.factor > 0 else _ONE,
            doc_num=integer(row.doc_num, row.doc_num),
            supplier_reference=text(row.reference, row.reference),
            supplier_name=text(row.card_name, row.card_name),
            supplier_tax_id=text(row.tax_id, row.tax_id),
            price=number(row.price, row.price),
            tax_code=text(row.tax_code, row.tax_code),
        )

    def _date(self, text: str) -> date:
        day = self._dates.get(text)
        if day is None:
            day = self._dates[text] = _read_day(text)
        return day


def _read_day(text: str) -> date:
    """Parse `20201007`, the date format of stored queries (SAP manual 1.29), or `2020-10-07…`."""
    return date.fromisoformat(text[:10] if "-" in text else f"{text[:4]}-{text[4:6]}-{text[6:8]}")


def _day(text: str | None) -> date | None:
    return _read_day(text) if text else None


def _days(first: str | None, last: str | None) -> DateRange:
    return DateRange(_day(first), _day(last)) if first or last else _EVER
