"""Distribution of picks over allocations, by property."""

import itertools
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supplier_returns.planning.model.lines import Allocation
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.rules.picks import Pick, PicksMismatchError, picks_of, spread

DAY = date(2026, 1, 1)


def allocation(number: int, document: int, factor: int) -> Allocation:
    inventory = Decimal(document * factor)
    receipt = OpenReceiptLine(
        number, 0, DAY, "A", "P", "CLP", None, inventory, Decimal(document), Decimal(factor)
    )
    return Allocation(receipt, inventory, Decimal(document))


allocations = st.lists(st.tuples(st.integers(1, 9), st.sampled_from([1, 3, 12])), max_size=5).map(
    lambda pairs: [allocation(number, *pair) for number, pair in enumerate(pairs)]
)


@given(allocations, st.lists(st.integers(1, 40), max_size=8), st.integers(0, 3))
def test_parts_add_up_to_the_allocations_and_to_the_picks(
    parts: list[Allocation], cuts: list[int], decimals: int
) -> None:
    total = int(sum(part.inventory for part in parts))
    edges = sorted({0, total, *(cut for cut in cuts if cut < total)})
    sizes = [after - before for before, after in itertools.pairwise(edges)]
    picks = [Pick(Decimal(size), batch=f"L{number}") for number, size in enumerate(sizes)]
    made = spread(parts, picks, decimals=decimals)
    for part in parts:
        mine = [each for each in made if each.receipt == part.receipt]
        assert sum(each.inventory for each in mine) == part.inventory
        assert sum(each.document for each in mine) == part.document
        assert all(each.inventory > 0 and each.document >= 0 for each in mine)
    assert picks_of(made) == picks


@given(allocations, st.integers(1, 500))
def test_picks_that_do_not_add_up_are_refused(parts: list[Allocation], size: int) -> None:
    total = sum(part.inventory for part in parts)
    if size == total:
        return
    with pytest.raises(PicksMismatchError) as caught:
        spread(parts, [Pick(Decimal(size), batch="L")], decimals=0)
    assert caught.value.picked == size
    assert caught.value.allocated == total


def test_no_picks_fit_no_allocations() -> None:
    assert spread([], [], decimals=0) == ()
