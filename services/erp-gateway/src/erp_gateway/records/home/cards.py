"""Cards with figures of the ERP: their conditions, and sums of the rows. No I/O."""

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Final

import msgspec
from attrs import frozen

from erp_gateway.records.documents.head import INVOICES, HeadRow, read_heads, shown
from erp_gateway.records.documents.sums import CurrencySum, sums_by_currency
from erp_gateway.records.home.shapes import CardName
from erp_gateway.records.proxy.client_request import Allows
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erpclient import ErpList, ErpReplyUnreadable
from erpclient.odata import ListQuery, quote_string

MOST_ROWS: Final = 500
"""Rows whose amounts are added up."""

MOST_LISTED: Final = 20
"""Items that the condition of the low stock names: the ERP compares no two properties in a list."""

_DUE: Final = ("DocumentStatus", "Cancelled", "DocDueDate")
_AMOUNTS: Final = ("DocEntry", "DocTotal", "DocTotalFc", "DocCurrency")
_STOCK: Final = ("ItemCode", "QuantityOnStock", "MinInventory")


@frozen(kw_only=True)
class Figures:
    """What a card shows of the read rows."""

    count: int
    sums: tuple[CurrencySum, ...] = ()
    is_partial: bool = False
    filter: str | None


@frozen(kw_only=True)
class ErpCard:
    """A card that is read from the ERP in one call.

    Attributes:
        name: its name.
        resource: the resource of its records, whose read right it needs.
        condition: the `$filter` of a day.
        select: the read columns.
        compared: properties that the condition compares; the card is not shown where one is hidden.
        shown_with: resources of which the person reads one or writes one; empty: no further right.
    """

    name: CardName
    resource: str
    condition: Callable[[date], str]
    select: tuple[str, ...]
    compared: tuple[str, ...]
    shown_with: tuple[str, ...] = ()

    @property
    def has_paid_amounts(self) -> bool:
        """True if its amounts are the unpaid parts of invoices."""
        return self.resource in INVOICES

    def query(self, target: Registered, today: date, paid_columns: tuple[str, ...]) -> ListQuery:
        """Return the query of its rows."""
        paid = paid_columns if self.has_paid_amounts else ()
        return ListQuery(
            select=shown((*self.select, *paid), target),
            filter=self.condition(today),
            orderby=("DocEntry",) if self.select is _AMOUNTS else ("ItemCode",),
            top=MOST_ROWS,
        )

    def figures(self, page: ErpList, today: date) -> Figures:
        """Return the figures of the read rows.

        Raises:
            ErpReplyUnreadable: the rows are no such records.
        """
        if self.select is _STOCK:
            return _low_stock(page)
        rows = read_heads(page.rows)
        return Figures(
            count=page.count,
            sums=sums_by_currency((row, _amount(row)) for row in rows),
            is_partial=page.count > len(rows),
            filter=self.condition(today),
        )


def _amount(row: HeadRow) -> Decimal | None:
    """Return the open amount of an invoice, and the total of anything else."""
    return row.total if row.paid is None else row.open


class _StockRow(msgspec.Struct, rename="pascal"):
    item_code: str
    quantity_on_stock: Decimal | None = None
    min_inventory: Decimal | None = None

    @property
    def missing(self) -> Decimal:
        """Quantity missing to the minimum."""
        return (self.min_inventory or Decimal()) - (self.quantity_on_stock or Decimal())


_STOCK_ROWS: Final = msgspec.json.Decoder(list[_StockRow])


def _low_stock(page: ErpList) -> Figures:
    try:
        rows = _STOCK_ROWS.decode(page.rows)
    except msgspec.MsgspecError as error:
        raise ErpReplyUnreadable("not the items that were read") from error
    low = sorted((row for row in rows if row.missing > 0), key=lambda row: -row.missing)
    listed = (f"ItemCode eq {quote_string(row.item_code)}" for row in low[:MOST_LISTED])
    return Figures(count=len(low), is_partial=page.count > len(rows), filter=" or ".join(listed) or None)


def _open_until(comparison: str) -> Callable[[date], str]:
    def condition(today: date) -> str:
        return (
            "DocumentStatus eq 'bost_Open' and Cancelled eq 'tNO' "
            f"and DocDueDate {comparison} '{today.isoformat()}'"
        )

    return condition


def _with_minimum(_today: date) -> str:
    return "MinInventory gt 0 and InventoryItem eq 'tYES'"


ERP_CARDS: Final = (
    ErpCard(
        name="orders_due", resource="Orders", condition=_open_until("le"), select=_AMOUNTS, compared=_DUE
    ),
    ErpCard(
        name="invoices_overdue",
        resource="Invoices",
        condition=_open_until("lt"),
        select=_AMOUNTS,
        compared=_DUE,
    ),
    ErpCard(
        name="supplier_invoices_overdue",
        resource="PurchaseInvoices",
        condition=_open_until("lt"),
        select=_AMOUNTS,
        compared=_DUE,
    ),
    ErpCard(
        name="low_stock",
        resource="Items",
        condition=_with_minimum,
        select=_STOCK,
        compared=(*_STOCK, "InventoryItem"),
        shown_with=("PurchaseOrders", "StockTransfers", "Items"),
    ),
)
"""All cards that are read from the ERP: at most four calls."""

BY_NAME: Final[Mapping[CardName, ErpCard]] = {card.name: card for card in ERP_CARDS}


def cards_of(registry: Registry, allows: Allows) -> tuple[ErpCard, ...]:
    """Return the cards that a person may see.

    Items are readable by any session, so their card needs a right that has to do with stock.
    """
    return tuple(card for card in ERP_CARDS if _may_see(card, registry, allows))


def _may_see(card: ErpCard, registry: Registry, allows: Allows) -> bool:
    target = registry.find(card.resource)
    if target is None or "GET" not in target.resource.methods:
        return False
    if shown(card.compared, target) != card.compared:
        return False
    menu = target.resource.read_menu
    if menu is not None and not allows(menu):
        return False
    others = [found for name in card.shown_with if (found := registry.find(name)) is not None]
    menus = [each.resource.read_menu or each.resource.write_menu for each in others]
    return not card.shown_with or any(route is not None and allows(route) for route in menus)
