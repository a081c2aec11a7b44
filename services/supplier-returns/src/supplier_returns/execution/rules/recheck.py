"""Whether what a document gives back is still as planned: stock, receipts and their prices."""

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
"""Most sentences of one problem; a document has up to some hundred lines."""


PRICE_DECIMALS = 6
"""Most decimals of a price."""

KEPT_PRICE_DECIMALS = 2
"""Decimals of a price that the record keeps at least, unless the company's setting is lower still."""


@frozen
class Problem:
    """Why a document can't be posted as planned.

    Attributes:
        message: Spanish text for the person.
    """

    error_class: ErrorClass
    message: str


@frozen
class Holdings:
    """What the warehouse held and what was open when an execution began.

    Attributes:
        stock: By item code.
        open_documents: Open quantity in its own unit, by receipt key and line.
        prices: Of one unit of it, by the same.
        price_decimals: Decimals that the record surely keeps of a price.
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
        """Index what was read.

        Args:
            stock: Of the warehouse.
            receipts: Open lines there.
            price_decimals: Of the company, None where it does not tell.
        """
        open_documents, prices = {}, {}
        for receipt in receipts:
            place = (receipt.doc_entry, receipt.line_num)
            open_documents[place], prices[place] = receipt.open_document, receipt.price
        kept = KEPT_PRICE_DECIMALS if price_decimals is None else min(price_decimals, KEPT_PRICE_DECIMALS)
        return cls({item.code: item for item in stock}, open_documents, prices, max(kept, 0))


class Taken:
    """What documents of this execution have taken, or may have taken, since the holdings were read."""

    def __init__(self) -> None:
        self._items: defaultdict[str, Decimal] = defaultdict(Decimal)

    def add(self, parts: Iterable[Allocation]) -> None:
        """Count the goods of one more document."""
        for part in parts:
            self._items[part.receipt.item_code] += part.inventory

    def of(self, item_code: str) -> Decimal:
        """Return how much of an item was taken, in inventory units."""
        return self._items[item_code]


def find_problem(
    parts: Sequence[Allocation], holdings: Holdings, taken: Taken, *, return_date: date
) -> Problem | None:
    """Compare a document with what is there; None when it may be posted.

    Args:
        parts: What the document gives back.
        holdings: What was there when the execution began.
        taken: What this execution took since then.
        return_date: Posting date of the document.
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
    """Tell whether something is planned at another price than its receipt has, as far as is known."""
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
    """Name the lines that the ERP would post at another price than the one that people saw."""
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
