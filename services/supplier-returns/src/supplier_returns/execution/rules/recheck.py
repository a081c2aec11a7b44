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
"""Maximum sentences of one problem; a document may have hundreds of lines."""


PRICE_DECIMALS = 6
"""Maximum decimals of a price."""

KEPT_PRICE_DECIMALS = 2
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
        stock: Stock by item code.
        open_documents: Open quantity in its own unit, by receipt key and line.
        prices: Price of one such unit, by receipt key and line.
        price_decimals: Minimum decimals of a recorded price.
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
            place = (receipt.doc_entry, receipt.line_num)
            open_documents[place], prices[place] = receipt.open_document, receipt.price
        kept = KEPT_PRICE_DECIMALS if price_decimals is None else min(price_decimals, KEPT_PRICE_DECIMALS)
        return cls({item.code: item for item in stock}, open_documents, prices, max(kept, 0))


class Taken:
    """Quantities that documents of this execution took, or may have taken, since the holdings were read."""

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
    """Compare a document with stock and receipts; return None if it can be posted.

    Args:
        parts: parts of planning lines in the document.
        holdings: stock and receipts at the start of the execution.
        taken: quantities that this execution took since then.
        return_date: posting date of the document.
    """
    if not parts:
        return Problem(ErrorClass.BASE, "El documento no tiene artículos.")
    closed = list(_closed(parts, holdings))
    if closed:
        return Problem(ErrorClass.BASE, _joined(closed))
    dearer = list(_priced_otherwise(parts, holdings))
    if dearer:
        return Problem(ErrorClass.BASE, _joined(dearer))
    inactive = [
        f"El artículo {code} está inactivo en la fecha de la devolución."
        for code in sorted(_by_item(parts))
        if _is_inactive(holdings.stock.get(code), return_date)
    ]
    if inactive:
        return Problem(ErrorClass.MASTER_DATA, _joined(inactive))
    short = list(_short(parts, holdings, taken))
    return Problem(ErrorClass.STOCK, _joined(short)) if short else None


def has_other_prices(planning: Planning, holdings: Holdings) -> bool:
    """Return whether a planned price differs from the price of its receipt."""
    parts = [part for line in planning.lines for part in line.allocations]
    return any(_priced_otherwise(parts, holdings))


def _closed(parts: Sequence[Allocation], holdings: Holdings) -> Iterable[str]:
    wanted: defaultdict[tuple[int, int], Decimal] = defaultdict(Decimal)
    receipts = {}
    for part in parts:
        place = (part.receipt.doc_entry, part.receipt.line_num)
        wanted[place] += part.document
        receipts[place] = part.receipt
    for place, quantity in wanted.items():
        left = holdings.open_documents.get(place, ZERO)
        if left < quantity:
            receipt = receipts[place]
            yield (
                f"De {receipt.item_code} en la recepción {receipt.doc_num} se devuelven "
                f"{quantity_text(quantity)} "
                + (
                    f"y solo quedan {quantity_text(left)} abiertas."
                    if left
                    else "y ya no queda nada abierto."
                )
            )


def _priced_otherwise(parts: Sequence[Allocation], holdings: Holdings) -> Iterable[str]:
    """Describe the lines that the ERP would post at a price other than the planned one."""
    receipts = {(part.receipt.doc_entry, part.receipt.line_num): part.receipt for part in parts}
    for place, receipt in receipts.items():
        price = holdings.prices.get(place, receipt.price)
        if not _may_be(receipt.price, price, holdings.price_decimals):
            yield (
                f"De {receipt.item_code} en la recepción {receipt.doc_num} el precio era "
                f"{quantity_text(receipt.price)} y ahora es {quantity_text(price)}."
            )


def _may_be(recorded: Decimal, price: Decimal, least: int) -> bool:
    """Whether a recorded price is this one, rounded to `least` decimals or more.

    The record may keep fewer decimals than the receipt, and another setting than today's may have rounded it.
    """
    return any(
        recorded == price.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
        for decimals in range(least, PRICE_DECIMALS + 1)
    )


def _short(parts: Sequence[Allocation], holdings: Holdings, taken: Taken) -> Iterable[str]:
    for code, quantity in _by_item(parts).items():
        item = holdings.stock.get(code)
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
