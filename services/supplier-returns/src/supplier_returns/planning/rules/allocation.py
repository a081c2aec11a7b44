"""First in, first out: allocate each requested unit to an open receipt line.

The oldest receipt by posting date, document key and line number supplies all that it can before the next one.
Stock on hand limits the returned quantity. Lines of the same item share its stock and receipts in their
order. A line can be limited to one supplier, and then leaves the other receipts to later lines.

A receipt line in packs supplies whole units of its own, and the next receipts supply the rest. The order
never changes to return more. For example, 6 pieces are requested, and the older receipt has boxes of 4: it
supplies one box. A box of 6 from the newer receipt would fit, but 2 pieces stay indivisible.
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
    requested: Sequence[PlanningLine],
    stock: Mapping[str, Decimal],
    receipts: Iterable[OpenReceiptLine],
    *,
    decimals: int,
    return_date: date | None = None,
) -> list[PlanningLine]:
    """Plan every requested line, in this order.

    Each line satisfies `quantity = allocated + no_stock + no_receipt + indivisible`.

    Args:
        requested: lines to plan. Lines of the same item compete in this order.
        stock: stock on hand by item code. A missing or negative stock counts as zero.
        receipts: all open receipt lines of the warehouse, in any order. Missing ones give a wrong plan.
        decimals: decimals of quantities in the ERP.
        return_date: date of the return. Later receipts are ignored.
    """
    items = {line.item_code for line in requested}
    queues: defaultdict[str, list[OpenReceiptLine]] = defaultdict(list)
    for receipt in receipts:
        if receipt.item_code in items and (return_date is None or receipt.doc_date <= return_date):
            queues[receipt.item_code].append(receipt)
    supplies = {
        item: _ItemSupply.of(max(ZERO, stock.get(item, ZERO)), queues[item], decimals) for item in items
    }
    return [supplies[line.item_code].plan_line(line) for line in requested]


@define
class _ItemSupply:
    """Remaining stock and receipts of one item while its lines are planned."""

    stock: Decimal
    receipts: list[OpenReceiptLine]
    decimals: int
    first_open: int = 0
    used: dict[int, tuple[Decimal, Decimal]] = field(factory=dict)
    """Inventory and document units taken from receipts at or after `first_open`, by index."""

    @classmethod
    def of(cls, stock: Decimal, receipts: list[OpenReceiptLine], decimals: int) -> "_ItemSupply":
        receipts.sort(key=_AGE)
        return cls(stock, receipts, decimals)

    def plan_line(self, requested: PlanningLine) -> PlanningLine:
        stock, used, supplier = self.stock, self.used, requested.card_code
        cap = min(requested.quantity, stock)
        remaining = cap
        allocations: list[Allocation] = []
        has_remainder = False
        for index in range(self.first_open, len(self.receipts)):
            if remaining <= 0:
                break
            receipt = self.receipts[index]
            if supplier is not None and receipt.card_code != supplier:
                continue
            inventory, document = receipt.open_inventory, receipt.open_document
            if index in used:
                inventory, document = inventory - used[index][0], document - used[index][1]
            if remaining < inventory:
                places = max(decimals_of(requested.quantity), decimals_of(inventory))
                part = document_part(remaining, receipt.factor, places=places, decimals=self.decimals)
                document = min(document, part)
                inventory = document * receipt.factor
                has_remainder = True
            # Skip used-up receipts for later lines, which keeps many lines of one item linear.
            elif index == self.first_open:
                self.first_open += 1
            if inventory > 0:
                allocations.append(Allocation(receipt, inventory, document))
                remaining -= inventory
                if index >= self.first_open:
                    before = used.get(index, _NOTHING)
                    used[index] = (before[0] + inventory, before[1] + document)
        self.stock -= cap - remaining
        # A receipt with a remainder still has more than the missing quantity, but in units that don't fit.
        return evolve(
            requested,
            stock=stock,
            allocations=tuple(allocations),
            no_stock=requested.quantity - cap,
            no_receipt=ZERO if has_remainder else remaining,
            indivisible=remaining if has_remainder else ZERO,
        )


def document_part(inventory: Decimal, factor: Decimal, *, places: int, decimals: int) -> Decimal:
    """Return the largest quantity, in units of a receipt line, that returns at most `inventory` units.

    The quantity must be exact in both units: at most `places` decimals in inventory units, and at most
    `decimals` in units of the line. For example, of 14 pieces from boxes of 12 one box can be returned, since
    the ERP can't store two pieces as a number of boxes. 30.5 kg from packs of 25 are 1.22 packs.

    Args:
        inventory: requested inventory units.
        factor: inventory units in one unit of the line, above zero.
        places: decimals of the requested or the open quantity, whichever are more. They show how far the item
            can
        be divided. A line in inventory units uses the decimals of the ERP.
        decimals: decimals of quantities in the ERP.
    """
    places = decimals if factor == 1 else places
    # Fractions are exact: the quotient of two decimals may have infinitely many digits.
    one = Fraction(factor) / 10**decimals
    steps = int(Fraction(inventory) / one)
    smallest = (one * 10**places).denominator
    return Decimal(steps - steps % smallest).scaleb(-decimals)
