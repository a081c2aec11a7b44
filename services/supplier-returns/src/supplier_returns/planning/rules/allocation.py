"""First in, first out: which open receipt each unit goes back against.

Pure functions. The oldest receipt by (posting date, document key, line number) gives all that it can before
the next one is used. Stock on hand caps what can go back. Several lines of one item share its stock and its
receipts in order of appearance. A line may be limited to one supplier; the others' receipts then stay for the
next lines.

A receipt in packs gives what its unit can divide, and the next receipts give the rest. Their order never
changes to return more: of 6 pieces, an older receipt in boxes of 4 gives one box, although a box of 6 of the
newer receipt would fit. Then 2 pieces are indivisible.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter

from attrs import define, evolve, field

from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.quantities import ZERO, decimals_of

_NOTHING = (ZERO, ZERO)
_AGE = attrgetter("age")


def allocate(
    wanted: Sequence[PlanningLine],
    stock: Mapping[str, Decimal],
    receipts: Iterable[OpenReceiptLine],
    *,
    decimals: int,
    return_date: date | None = None,
) -> list[PlanningLine]:
    """Plan every wanted line, in the order given.

    Of each line `quantity = allocated + no_stock + no_receipt + indivisible`.

    Args:
        wanted: Lines to serve; those of the same item compete in this order.
        stock: Stock on hand by item code; a missing or negative stock counts as zero.
        receipts: All open receipt lines of the warehouse, in any order. A part of them gives a wrong plan.
        decimals: Decimals that the ERP keeps for quantities.
        return_date: Receipts dated after it can't be returned with it and are left out.
    """
    items = {line.item_code for line in wanted}
    queues: defaultdict[str, list[OpenReceiptLine]] = defaultdict(list)
    for receipt in receipts:
        if receipt.item_code in items and (return_date is None or receipt.doc_date <= return_date):
            queues[receipt.item_code].append(receipt)
    shelves = {item: _Shelf.of(max(ZERO, stock.get(item, ZERO)), queues[item], decimals) for item in items}
    return [shelves[line.item_code].serve(line) for line in wanted]


@define
class _Shelf:
    """What is left of one item while its lines are served."""

    stock: Decimal
    receipts: list[OpenReceiptLine]
    decimals: int
    first: int = 0
    used: dict[int, tuple[Decimal, Decimal]] = field(factory=dict)
    """Inventory and document units taken from a receipt that is not behind `first`, by its index."""

    @classmethod
    def of(cls, stock: Decimal, receipts: list[OpenReceiptLine], decimals: int) -> "_Shelf":
        receipts.sort(key=_AGE)
        return cls(stock, receipts, decimals)

    def serve(self, wanted: PlanningLine) -> PlanningLine:
        stock, used, only = self.stock, self.used, wanted.card_code
        cap = min(wanted.quantity, stock)
        missing = cap
        allocations: list[Allocation] = []
        has_rest = False
        for index in range(self.first, len(self.receipts)):
            if missing <= 0:
                break
            receipt = self.receipts[index]
            if only is not None and receipt.card_code != only:
                continue
            inventory, document = receipt.open_inventory, receipt.open_document
            if index in used:
                inventory, document = inventory - used[index][0], document - used[index][1]
            if missing < inventory:
                places = max(decimals_of(wanted.quantity), decimals_of(inventory))
                part = document_part(missing, receipt.factor, places=places, decimals=self.decimals)
                document = min(document, part)
                inventory = document * receipt.factor
                has_rest = True
            elif index == self.first:
                self.first += 1
            if inventory > 0:
                allocations.append(Allocation(receipt, inventory, document))
                missing -= inventory
                if index >= self.first:
                    before = used.get(index, _NOTHING)
                    used[index] = (before[0] + inventory, before[1] + document)
        self.stock -= cap - missing
        # A receipt that keeps a rest keeps more than what is missing: it is open, but no unit of it fits.
        return evolve(
            wanted,
            stock=stock,
            allocations=tuple(allocations),
            no_stock=wanted.quantity - cap,
            no_receipt=ZERO if has_rest else missing,
            indivisible=missing if has_rest else ZERO,
        )


def document_part(inventory: Decimal, factor: Decimal, *, places: int, decimals: int) -> Decimal:
    """Return the most of a receipt line's unit that goes back for `inventory` units or fewer.

    What goes back can be written down in both units: with at most `places` decimals in inventory units and
    at most `decimals` in the line's. Of 14 pieces that came in boxes of 12 one box goes back, since two
    pieces are no number of boxes that the ERP can keep; 30.5 kg that came in packs of 25 are 1.22 packs.

    Args:
        inventory: Inventory units wanted.
        factor: Inventory units in one unit of the line, above zero.
        places: Decimals of what was asked for or of what is open, whichever are more. They tell whether the
            item may be broken up; a line that counts in inventory units is cut as the ERP counts.
        decimals: Decimals that the ERP keeps for quantities.
    """
    places = decimals if factor == 1 else places
    one = Fraction(factor) / 10**decimals
    steps = int(Fraction(inventory) / one)
    smallest = (one * 10**places).denominator
    return Decimal(steps - steps % smallest).scaleb(-decimals)
