"""Comparison of a document with the present stock, receipts and prices."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from attrs import field, frozen

from supplier_returns.execution.rules.failures import ErrorClass
from supplier_returns.planning.model.lines import Allocation
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import StockItem
from supplier_returns.quantities import ZERO, quantity_text

MAX_REASONS = 3
"""Maximum sentences of one problem, since a document may have hundreds of lines."""


PRICE_DECIMALS = 6
"""Maximum decimals of a price."""

MIN_PRICE_DECIMALS = 2
"""Minimum decimals of a recorded price, unless the company's setting is lower."""


@frozen
class Problem:
    """Reason why a document can't be posted as planned.

    Attributes:
        message: Spanish text for the user.
    """

    error_class: ErrorClass
    message: str


@frozen
class Holdings:
    """Stock and open receipts at the start of an execution.

    Attributes:
        stock: stock by item code.
        open_documents: open quantity in its own unit, by receipt key and line.
        prices: price of one such unit, by receipt key and line.
        price_decimals: minimum decimals of a recorded price.
    """

    stock: Mapping[str, StockItem] = field(repr=False)
    open_documents: Mapping[tuple[int, int], Decimal] = field(repr=False)
    prices: Mapping[tuple[int, int], Decimal] = field(repr=False)
    price_decimals: int

    @classmethod
    def of(
        cls,
        stock: Iterable[StockItem],
        receipts: Iterable[OpenReceiptLine],
        *,
        price_decimals: int | None = None,
    ) -> "Holdings":
        """Index stock and receipts.

        Args:
            stock: stock of the warehouse.
            receipts: open receipt lines of the warehouse.
            price_decimals: price decimals of the company; None if the user has no right to them.
        """
        open_documents, prices = {}, {}
        for receipt in receipts:
            receipt_key = (receipt.doc_entry, receipt.line_num)
            open_documents[receipt_key], prices[receipt_key] = receipt.open_document, receipt.price
        decimals = MIN_PRICE_DECIMALS if price_decimals is None else min(price_decimals, MIN_PRICE_DECIMALS)
        return cls({item.code: item for item in stock}, open_documents, prices, max(decimals, 0))


class Taken:
    """Quantities that this execution has returned, or may have returned, since it read the stock."""

    def __init__(self) -> None:
        self._items: defaultdict[str, Decimal] = defaultdict(Decimal)

    def add(self, parts: Iterable[Allocation]) -> None:
        """Add the quantities of a document."""
        for part in parts:
            self._items[part.receipt.item_code] += part.inventory

    def of(self, item_code: str) -> Decimal:
        """Return the taken quantity of an item, in inventory units."""
        return self._items[item_code]


def find_problem(
    parts: Sequence[Allocation], holdings: Holdings, taken: Taken, *, return_date: date
) -> Problem | None:
    """Compare a document with current stock, receipts and prices.

    Args:
        parts: parts of planning lines in the document.
        holdings: stock and receipts at the start of the execution.
        taken: quantities that this execution took since then.
        return_date: posting date of the document.

    Returns:
        the first problem, or None if the document can be posted.
    """
    # A late write of the record may have moved all lines to another document.
    if not parts:
        return Problem(ErrorClass.BASE, "El documento no tiene artículos.")
    # The ERP might cap the quantity or drop the link to the receipt instead of refusing, so check first.
    receipt_shortages = list(_receipt_shortages(parts, holdings))
    if receipt_shortages:
        return Problem(ErrorClass.BASE, _joined(receipt_shortages))
    # The return takes its prices from the receipt, so the ERP would post a total other than the one shown.
    price_changes = list(_price_changes(parts, holdings))
    if price_changes:
        return Problem(ErrorClass.BASE, _joined(price_changes))
    inactive_items = [
        f"El artículo {code} está inactivo en la fecha de la devolución."
        for code in sorted(_by_item(parts))
        if _is_inactive(holdings.stock.get(code), return_date)
    ]
    if inactive_items:
        return Problem(ErrorClass.MASTER_DATA, _joined(inactive_items))
    shortages = list(_stock_shortages(parts, holdings, taken))
    return Problem(ErrorClass.STOCK, _joined(shortages)) if shortages else None


def has_other_prices(planning: Planning, holdings: Holdings) -> bool:
    """Return whether a planned price differs from the price of its receipt."""
    parts = [part for line in planning.lines for part in line.allocations]
    return any(_price_changes(parts, holdings))


def _receipt_shortages(parts: Sequence[Allocation], holdings: Holdings) -> Iterable[str]:
    returned: defaultdict[tuple[int, int], Decimal] = defaultdict(Decimal)
    receipts = {}
    for part in parts:
        receipt_key = (part.receipt.doc_entry, part.receipt.line_num)
        returned[receipt_key] += part.document
        receipts[receipt_key] = part.receipt
    for receipt_key, quantity in returned.items():
        open_quantity = holdings.open_documents.get(receipt_key, ZERO)
        if open_quantity < quantity:
            receipt = receipts[receipt_key]
            yield (
                f"De {receipt.item_code} en la recepción {receipt.doc_num} se devuelven "
                f"{quantity_text(quantity)} "
                + (
                    f"y solo quedan {quantity_text(open_quantity)} abiertas."
                    if open_quantity
                    else "y ya no queda nada abierto."
                )
            )


def _price_changes(parts: Sequence[Allocation], holdings: Holdings) -> Iterable[str]:
    """Describe the lines that the ERP would post at a price other than the planned one."""
    receipts = {(part.receipt.doc_entry, part.receipt.line_num): part.receipt for part in parts}
    for receipt_key, receipt in receipts.items():
        price = holdings.prices.get(receipt_key, receipt.price)
        if not _rounds_to(receipt.price, price, holdings.price_decimals):
            yield (
                f"De {receipt.item_code} en la recepción {receipt.doc_num} el precio era "
                f"{quantity_text(receipt.price)} y ahora es {quantity_text(price)}."
            )


def _rounds_to(recorded: Decimal, price: Decimal, min_decimals: int) -> bool:
    """Return whether the recorded price is the current price, rounded to `min_decimals` or more.

    The record may have fewer decimals than the receipt, and the company's setting may have changed since.
    """
    return any(
        recorded == price.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
        for decimals in range(min_decimals, PRICE_DECIMALS + 1)
    )


def _stock_shortages(parts: Sequence[Allocation], holdings: Holdings, taken: Taken) -> Iterable[str]:
    for code, quantity in _by_item(parts).items():
        item = holdings.stock.get(code)
        # Whether the ERP rejects negative stock is a company setting (`BlockStockNegativeQuantity`).
        on_hand = (ZERO if item is None else item.on_hand) - taken.of(code)
        if on_hand < quantity:
            yield (
                f"De {code} se devuelven {quantity_text(quantity)} y en la bodega hay "
                f"{quantity_text(max(on_hand, ZERO))}."
            )


def _by_item(parts: Iterable[Allocation]) -> dict[str, Decimal]:
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for part in parts:
        sums[part.receipt.item_code] += part.inventory
    return dict(sums)


def _is_inactive(item: StockItem | None, day: date) -> bool:
    return item is not None and not item.is_active_on(day)


def _joined(sentences: Sequence[str]) -> str:
    more = len(sentences) - MAX_REASONS
    shown = [*sentences[:MAX_REASONS], *([f"Y {more} más."] if more > 0 else [])]
    return " ".join(shown)
