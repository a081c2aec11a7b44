"""Lines that are limited to one supplier."""

from collections import defaultdict
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from plannings import line

from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.rules.allocation import allocate

receipt_lists = st.lists(st.tuples(st.sampled_from("PQ"), st.integers(1, 9)), max_size=8).map(
    lambda pairs: [
        OpenReceiptLine(
            number, 0, date(2026, 1, 1 + number), "A", card, "CLP", None, Decimal(open_), Decimal(open_)
        )
        for number, (card, open_) in enumerate(pairs)
    ]
)
wishes = st.lists(st.tuples(st.integers(1, 12), st.sampled_from([None, "P", "Q"])), max_size=5).map(
    lambda pairs: [
        line(number, item_code="A", quantity=Decimal(q), card_code=card)
        for number, (q, card) in enumerate(pairs)
    ]
)


def allocate_by_unit(
    requested: list[PlanningLine], stock: int, receipts: list[OpenReceiptLine]
) -> list[dict[int, int]]:
    """Allocate unit by unit from the oldest receipt that the line may use and that still has one."""
    remaining = {receipt.doc_entry: int(receipt.open_inventory) for receipt in receipts}
    taken: list[dict[int, int]] = []
    for each in requested:
        mine: defaultdict[int, int] = defaultdict(int)
        for _ in range(min(int(each.quantity), stock)):
            for receipt in receipts:
                if remaining[receipt.doc_entry] and each.card_code in (None, receipt.card_code):
                    remaining[receipt.doc_entry] -= 1
                    mine[receipt.doc_entry] += 1
                    break
        stock -= sum(mine.values())
        taken.append(dict(mine))
    return taken


def quickly(planned: list[PlanningLine]) -> list[dict[int, int]]:
    return [{part.receipt.doc_entry: int(part.inventory) for part in item.allocations} for item in planned]


@given(wishes, st.integers(0, 30), receipt_lists)
def test_allocation_of_limited_lines_agrees_with_unit_by_unit_allocation(
    requested: list[PlanningLine], stock: int, receipts: list[OpenReceiptLine]
) -> None:
    planned = allocate(requested, {"A": Decimal(stock)}, receipts, decimals=0)
    assert quickly(planned) == allocate_by_unit(requested, stock, receipts)
    for item in planned:
        assert item.quantity == item.allocated + item.no_stock + item.no_receipt + item.indivisible
        assert all(item.card_code in (None, part.receipt.card_code) for part in item.allocations)
