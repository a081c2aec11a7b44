"""Whether what a document gives back is still there: stock, and open quantities of its receipts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from attrs import field, frozen

from supplier_returns.execution.rules.failures import ErrorClass
from supplier_returns.pasting.numbers import shown
from supplier_returns.planning.rules.model import OpenReceiptLine, StockItem
from supplier_returns.planning.rules.plannings import ZERO, LineAllocation

MAX_REASONS = 3
"""Most sentences of one problem; a document has up to some hundred lines."""


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
    """

    stock: Mapping[str, StockItem] = field(repr=False)
    open_documents: Mapping[tuple[int, int], Decimal] = field(repr=False)

    @classmethod
    def of(cls, stock: Iterable[StockItem], receipts: Iterable[OpenReceiptLine]) -> "Holdings":
        """Index what was read."""
        return cls(
            {item.code: item for item in stock},
            {(receipt.doc_entry, receipt.line_num): receipt.open_document for receipt in receipts},
        )


class Taken:
    """What documents of this execution have taken, or may have taken, since the holdings were read."""

    def __init__(self) -> None:
        self._items: defaultdict[str, Decimal] = defaultdict(Decimal)

    def add(self, parts: Iterable[LineAllocation]) -> None:
        """Count the goods of one more document."""
        for part in parts:
            self._items[part.receipt.item_code] += part.inventory

    def of(self, item_code: str) -> Decimal:
        """Return how much of an item was taken, in inventory units."""
        return self._items[item_code]


def find_problem(parts: Sequence[LineAllocation], holdings: Holdings, taken: Taken) -> Problem | None:
    """Compare a document with what is there; None when it may be posted.

    Args:
        parts: What the document gives back.
        holdings: What was there when the execution began.
        taken: What this execution took since then.
    """
    closed = list(_closed(parts, holdings))
    if closed:
        return Problem(ErrorClass.BASE, _joined(closed))
    inactive = sorted({code for code in _by_item(parts) if _is_inactive(holdings.stock.get(code))})
    if inactive:
        return Problem(
            ErrorClass.MASTER_DATA, _joined([f"El artículo {code} está inactivo." for code in inactive])
        )
    short = list(_short(parts, holdings, taken))
    return Problem(ErrorClass.STOCK, _joined(short)) if short else None


def _closed(parts: Sequence[LineAllocation], holdings: Holdings) -> Iterable[str]:
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
                f"De {receipt.item_code} en la recepción {receipt.doc_num} se devuelven {shown(quantity)} "
                + (f"y solo quedan {shown(left)} abiertas." if left else "y ya no queda nada abierto.")
            )


def _short(parts: Sequence[LineAllocation], holdings: Holdings, taken: Taken) -> Iterable[str]:
    for code, quantity in _by_item(parts).items():
        item = holdings.stock.get(code)
        on_hand = (ZERO if item is None else item.on_hand) - taken.of(code)
        if on_hand < quantity:
            yield f"De {code} se devuelven {shown(quantity)} y en la bodega hay {shown(max(on_hand, ZERO))}."


def _by_item(parts: Iterable[LineAllocation]) -> dict[str, Decimal]:
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for part in parts:
        sums[part.receipt.item_code] += part.inventory
    return dict(sums)


def _is_inactive(item: StockItem | None) -> bool:
    return item is not None and not item.is_active


def _joined(sentences: Sequence[str]) -> str:
    more = len(sentences) - MAX_REASONS
    told = [*sentences[:MAX_REASONS], *([f"Y {more} más."] if more > 0 else [])]
    return " ".join(told)
