"""Invariants of allocation over generated stock, receipts and lines."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random

import msgspec
import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.rules.allocation import allocate
from supplier_returns.planning.rules.documents import arrange
from supplier_returns.quantities import decimals_of

ITEMS = ["A", "B", "C"]
DAY = date(2026, 1, 1)
quantities = st.decimals(min_value="0.01", max_value=50, places=2)


def line_request(
    line_id: int, item_code: str, quantity: Decimal, card_code: str | None = None
) -> PlanningLine:
    return PlanningLine(line_id=line_id, item_code=item_code, quantity=quantity, card_code=card_code)


@st.composite
def receipt_lines(draw: st.DrawFn, *, factors: Sequence[str] = ("1",)) -> list[OpenReceiptLine]:
    keys = draw(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3)), unique=True, max_size=12))
    lines = []
    for doc_entry, line_num in keys:
        factor = Decimal(draw(st.sampled_from(factors)))
        document = draw(quantities)
        lines.append(
            OpenReceiptLine(
                doc_entry=doc_entry,
                line_num=line_num,
                doc_date=DAY + timedelta(days=draw(st.integers(0, 5))),
                item_code=draw(st.sampled_from(ITEMS)),
                card_code=draw(st.sampled_from(["P1", "P2"])),
                currency=draw(st.sampled_from(["CLP", "USD"])),
                branch=draw(st.sampled_from([None, 1])),
                open_inventory=document * factor,
                open_document=document,
                factor=factor,
            )
        )
    return lines


wishes = st.lists(st.tuples(st.sampled_from(ITEMS), quantities), max_size=6).map(
    lambda pairs: [line_request(number, item, quantity) for number, (item, quantity) in enumerate(pairs)]
)
one_wish_an_item = st.lists(
    st.tuples(st.sampled_from(ITEMS), quantities), unique_by=lambda pair: pair[0]
).map(lambda pairs: [line_request(number, item, quantity) for number, (item, quantity) in enumerate(pairs)])
stocks = st.dictionaries(st.sampled_from(ITEMS), st.decimals(min_value=-5, max_value=90, places=2))


def decimals(*numbers: int) -> list[Decimal]:
    return [Decimal(number) for number in numbers]


def plan(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> list[PlanningLine]:
    return allocate(requested, stock, receipts, decimals=2)


def all_allocations(planned: Sequence[PlanningLine]) -> list[Allocation]:
    return [allocation for item in planned for allocation in item.allocations]


def per_receipt(planned: Sequence[PlanningLine]) -> dict[OpenReceiptLine, Decimal]:
    sums: dict[OpenReceiptLine, Decimal] = {}
    for allocation in all_allocations(planned):
        sums[allocation.receipt] = sums.get(allocation.receipt, Decimal(0)) + allocation.inventory
    return sums


@given(wishes, stocks, receipt_lines(factors=("1", "12", "0.5", "3")))
def test_each_requested_unit_is_allocated_or_explained(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    for item in plan(requested, stock, receipts):
        assert item.quantity == item.allocated + item.no_stock + item.no_receipt + item.indivisible
        assert min(item.no_stock, item.no_receipt, item.indivisible) >= 0


@given(wishes, stocks, receipt_lines(factors=("1", "12", "0.5", "3")))
def test_every_allocation_is_positive_and_within_the_open_quantity(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    planned = plan(requested, stock, receipts)
    assert all(
        allocation.inventory > 0 and allocation.document > 0 for allocation in all_allocations(planned)
    )
    assert all(given_back <= receipt.open_inventory for receipt, given_back in per_receipt(planned).items())
    for item in planned:
        lines = [(a.receipt.doc_entry, a.receipt.line_num) for a in item.allocations]
        assert len(lines) == len(set(lines))


@given(wishes, stocks, receipt_lines(factors=("1", "12", "0.5", "3")))
def test_allocations_never_exceed_the_stock(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    planned = plan(requested, stock, receipts)
    for item_code in ITEMS:
        total = sum(item.allocated for item in planned if item.item_code == item_code)
        assert total <= max(Decimal(0), stock.get(item_code, Decimal(0)))


@given(wishes, stocks, receipt_lines())
def test_each_line_states_the_stock_that_earlier_lines_leave(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    remaining = {item_code: max(Decimal(0), on_hand) for item_code, on_hand in stock.items()}
    for line in plan(requested, stock, receipts):
        assert line.stock == remaining.get(line.item_code, Decimal(0))
        remaining[line.item_code] = line.stock - line.allocated


@given(wishes, stocks, receipt_lines())
def test_as_much_as_possible_is_allocated(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    planned = plan(requested, stock, receipts)
    for item_code in ITEMS:
        asked = sum(line.quantity for line in requested if line.item_code == item_code)
        open_quantity = sum(line.open_inventory for line in receipts if line.item_code == item_code)
        on_hand = max(Decimal(0), stock.get(item_code, Decimal(0)))
        total = sum(item.allocated for item in planned if item.item_code == item_code)
        assert total == min(asked, on_hand, open_quantity)


@given(wishes, stocks, receipt_lines())
def test_the_oldest_receipt_is_used_up_first_and_at_most_one_is_used_in_part(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    used = per_receipt(plan(requested, stock, receipts))
    for item_code in ITEMS:
        queue = by_age(receipts, item_code)
        shares = [used.get(line, Decimal(0)) / line.open_inventory for line in queue]
        assert shares == sorted(shares, reverse=True)
        assert sum(0 < share < 1 for share in shares) <= 1


def by_age(receipts: Sequence[OpenReceiptLine], item_code: str) -> list[OpenReceiptLine]:
    of_item = [line for line in receipts if line.item_code == item_code]
    return sorted(of_item, key=lambda line: (line.doc_date, line.doc_entry, line.line_num))


PACKS = ("1", "4", "12", "6", "0.5", "25")


@given(one_wish_an_item, stocks, receipt_lines(factors=PACKS), st.integers(0, 2))
def test_each_receipt_supplies_as_much_as_possible_of_the_remainder(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine], decimals: int
) -> None:
    """Compares with a slow definition of oldest first with packs. The rest is indivisible."""
    for item in allocate(requested, stock, receipts, decimals=decimals):
        given_back = {part.receipt: part.inventory for part in item.allocations}
        missing = item.quantity - item.no_stock
        has_rest = False
        for receipt in by_age(receipts, item.item_code):
            most = _most(missing, receipt, item.quantity, decimals)
            assert given_back.get(receipt, Decimal(0)) == most
            missing -= most
            has_rest |= 0 < missing < receipt.open_inventory - most
        assert missing == item.no_receipt + item.indivisible
        assert item.indivisible == (missing if has_rest else 0)


def _most(missing: Decimal, receipt: OpenReceiptLine, asked: Decimal, decimals: int) -> Decimal:
    if missing >= receipt.open_inventory:
        return receipt.open_inventory
    places = decimals if receipt.factor == 1 else max(decimals_of(asked), decimals_of(receipt.open_inventory))
    steps = int(missing.scaleb(places))
    tried = (Decimal(number).scaleb(-places) for number in range(steps, -1, -1))
    return next(each for each in tried if _fits(each, receipt.factor, decimals))


def _fits(inventory: Decimal, factor: Decimal, decimals: int) -> bool:
    steps: Fraction = Fraction(inventory) / Fraction(factor) * 10**decimals
    return steps.denominator == 1


@given(wishes, stocks, receipt_lines(factors=PACKS), st.randoms(use_true_random=False))
def test_the_order_of_the_receipts_does_not_matter(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine], random: Random
) -> None:
    shuffled = list(receipts)
    random.shuffle(shuffled)
    assert plan(requested, stock, receipts) == plan(requested, stock, shuffled)


@given(one_wish_an_item, stocks, receipt_lines(), st.randoms(use_true_random=False))
def test_the_order_of_different_items_does_not_matter(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine], random: Random
) -> None:
    shuffled = list(requested)
    random.shuffle(shuffled)
    before = {item.line_id: item for item in plan(requested, stock, receipts)}
    after = {item.line_id: item for item in plan(shuffled, stock, receipts)}
    assert before == after


@given(wishes, stocks, receipt_lines(factors=("1", "12", "0.5", "0.453592", "7")), st.integers(0, 3))
def test_quantities_have_no_more_decimals_than_the_erp_or_the_receipt(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine], decimals: int
) -> None:
    for allocation in all_allocations(allocate(requested, stock, receipts, decimals=decimals)):
        receipt = allocation.receipt
        assert allocation.inventory == allocation.document * receipt.factor
        assert decimals_of(allocation.document) <= max(decimals, decimals_of(receipt.open_document))


@given(
    one_wish_an_item, stocks, receipt_lines(factors=("12", "0.5", "0.453592", "7", "25")), st.integers(0, 3)
)
def test_a_pack_supplies_no_more_decimals_than_requested_or_open(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine], decimals: int
) -> None:
    for item in allocate(requested, stock, receipts, decimals=decimals):
        for allocation in item.allocations:
            places = max(decimals_of(item.quantity), decimals_of(allocation.receipt.open_inventory))
            assert decimals_of(allocation.inventory) <= places


@given(one_wish_an_item, stocks, receipt_lines(), quantities, quantities)
def test_more_requested_or_in_stock_never_lowers_an_allocation(
    requested: list[PlanningLine],
    stock: dict[str, Decimal],
    receipts: list[OpenReceiptLine],
    more: Decimal,
    more_stock: Decimal,
) -> None:
    before = per_receipt(plan(requested, stock, receipts))
    for after in _with_more(requested, stock, receipts, more, more_stock):
        used = per_receipt(after)
        assert all(used.get(receipt, Decimal(0)) >= quantity for receipt, quantity in before.items())


@given(one_wish_an_item, stocks, receipt_lines(factors=("1", "4", "6", "12")), quantities, quantities)
def test_more_requested_or_in_stock_never_returns_less_of_an_item_in_packs(
    requested: list[PlanningLine],
    stock: dict[str, Decimal],
    receipts: list[OpenReceiptLine],
    more: Decimal,
    more_stock: Decimal,
) -> None:
    """A newer receipt may supply less: of 13 it supplies the one piece that two boxes of 12 cover of 24."""
    before = [line.allocated for line in plan(requested, stock, receipts)]
    for after in _with_more(requested, stock, receipts, more, more_stock):
        assert all(line.allocated >= less for line, less in zip(after, before, strict=True))


def _with_more(
    requested: list[PlanningLine],
    stock: dict[str, Decimal],
    receipts: list[OpenReceiptLine],
    more: Decimal,
    more_stock: Decimal,
) -> tuple[list[PlanningLine], list[PlanningLine]]:
    asked_more = [line_request(line.line_id, line.item_code, line.quantity + more) for line in requested]
    # The decimals of the quantity limit how far packs are divided.
    assume(
        all(
            decimals_of(a.quantity) == decimals_of(b.quantity)
            for a, b in zip(asked_more, requested, strict=True)
        )
    )
    fuller = {item: on_hand + more_stock for item, on_hand in stock.items()}
    return plan(asked_more, stock, receipts), plan(requested, fuller, receipts)


@given(wishes, stocks, receipt_lines(factors=("1", "12")), st.integers(1, 4))
def test_every_allocation_is_in_exactly_one_document_of_its_kind(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine], max_lines: int
) -> None:
    planned = plan(requested, stock, receipts)
    arranged = arrange(planned, (), max_lines=max_lines, has_bins=False)
    placed = [part for line in arranged.lines for part in line.allocations]
    assert [evolve(part, doc_id=0, position=0) for part in placed] == all_allocations(planned)
    documents = {document.doc_id: document for document in arranged.documents}
    base_lines: dict[tuple[int, int], set[OpenReceiptLine]] = {}
    for part in placed:
        document, receipt = documents[part.doc_id], part.receipt
        assert (receipt.card_code, receipt.currency, receipt.branch) == (
            document.card_code,
            document.currency,
            document.branch,
        )
        base_lines.setdefault((part.doc_id, part.position), set()).add(receipt)
    for document in documents.values():
        positions = sorted(position for doc_id, position in base_lines if doc_id == document.doc_id)
        assert positions == list(range(document.line_count))
        assert 1 <= document.line_count <= max_lines
    assert all(len(of_line) == 1 for of_line in base_lines.values())
    assert len({receipt for of_line in base_lines.values() for receipt in of_line}) == len(base_lines), (
        "a receipt line is never split over two document lines"
    )


@given(wishes, stocks, receipt_lines())
def test_planning_the_shortage_against_the_remaining_receipts_allocates_nothing(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    planned = plan(requested, stock, receipts)
    used = per_receipt(planned)
    rest = [
        OpenReceiptLine(
            **{
                **msgspec.structs.asdict(line),
                "open_inventory": line.open_inventory - used.get(line, Decimal(0)),
                "open_document": line.open_document - used.get(line, Decimal(0)),
            }
        )
        for line in receipts
        if line.open_inventory > used.get(line, Decimal(0))
    ]
    returned = {code: sum(i.allocated for i in planned if i.item_code == code) for code in ITEMS}
    remaining = {code: on_hand - returned[code] for code, on_hand in stock.items()}
    short = [
        line_request(item.line_id, item.item_code, item.no_stock + item.no_receipt)
        for item in planned
        if item.no_stock + item.no_receipt > 0
    ]
    assert all_allocations(plan(short, remaining, rest)) == []


@given(wishes, stocks, receipt_lines(factors=PACKS))
def test_items_are_allocated_independently(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    together = {item.line_id: item for item in plan(requested, stock, receipts)}
    for code in ITEMS:
        alone = plan([line for line in requested if line.item_code == code], stock, receipts)
        assert {item.line_id: item for item in alone}.items() <= together.items()


@given(wishes, stocks, receipt_lines())
def test_an_allocation_has_the_item_of_its_line(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine]
) -> None:
    for item in plan(requested, stock, receipts):
        for allocation in item.allocations:
            assert allocation.receipt in receipts
            assert allocation.receipt.item_code == item.item_code


@given(one_wish_an_item, stocks, receipt_lines(), st.decimals(min_value=0, max_value=5, places=2))
def test_less_stock_only_shrinks_the_plan(
    requested: list[PlanningLine], stock: dict[str, Decimal], receipts: list[OpenReceiptLine], lost: Decimal
) -> None:
    planned = per_receipt(plan(requested, stock, receipts))
    later = per_receipt(plan(requested, {item: on_hand - lost for item, on_hand in stock.items()}, receipts))
    assert all(quantity <= planned.get(receipt, Decimal(0)) for receipt, quantity in later.items())


@given(
    st.integers(0, 12),
    st.integers(-2, 12),
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), max_size=5),
)
def test_allocation_agrees_with_unit_by_unit_allocation(
    asked: int, on_hand: int, openings: list[tuple[int, int]]
) -> None:
    """The slow definition takes one unit after another from the oldest receipt that still has one."""
    receipts = [
        OpenReceiptLine(number, 0, DAY + timedelta(days=day), "A", "P1", "CLP", None, Decimal(n), Decimal(n))
        for number, (day, n) in enumerate(openings)
    ]
    units = [
        r
        for r in sorted(receipts, key=lambda r: (r.doc_date, r.doc_entry))
        for _ in range(int(r.open_inventory))
    ]
    expected: dict[OpenReceiptLine, Decimal] = {}
    for receipt in units[: max(0, min(asked, on_hand))]:
        expected[receipt] = expected.get(receipt, Decimal(0)) + 1
    requested = [line_request(0, "A", Decimal(asked))] if asked else []
    assert per_receipt(plan(requested, {"A": Decimal(on_hand)}, receipts)) == expected


def test_a_receipt_dated_after_the_return_is_ignored() -> None:
    receipt = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, Decimal(5), Decimal(5))
    requested = [line_request(0, "A", Decimal(2))]
    (early,) = allocate(
        requested, {"A": Decimal(9)}, [receipt], decimals=2, return_date=DAY - timedelta(days=1)
    )
    (same_day,) = allocate(requested, {"A": Decimal(9)}, [receipt], decimals=2, return_date=DAY)
    assert [early.no_receipt, early.allocated] == decimals(2, 0)
    assert same_day.allocated == 2


def of_a_pack(
    asked: str, factor: str, *, decimals: int, packs: str = "9", stock: str = "999"
) -> tuple[PlanningLine, OpenReceiptLine]:
    size = Decimal(factor)
    receipt = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, Decimal(packs) * size, Decimal(packs), size)
    (item,) = allocate(
        [line_request(0, "A", Decimal(asked))], {"A": Decimal(stock)}, [receipt], decimals=decimals
    )
    return item, receipt


@pytest.mark.parametrize(
    ("asked", "factor", "decimals", "inventory", "document"),
    [
        ("30.5", "25", 2, "30.5", "1.22"),  # packs of 25 kg
        ("30.5", "25", 1, "30", "1.2"),
        ("30.5", "25", 0, "25", "1"),
        ("14", "12", 2, "12", "1"),  # and not 13.92 pieces in 1.16 boxes
        ("14", "12", 0, "12", "1"),
        ("14.5", "12", 2, "14.4", "1.2"),
        ("3", "12", 2, "3", "0.25"),
        ("3", "12", 1, "0", "0"),
        ("10", "12", 0, "0", "0"),
        ("16", "12", 2, "15", "1.25"),
        ("4.5", "0.5", 0, "4.5", "9"),
        ("3.3", "0.5", 0, "3", "6"),
        ("1", "0.453592", 2, "0.907184", "2"),  # the open quantity has six decimals
        ("2", "1", 2, "2", "2"),
        ("2.345", "1", 3, "2.345", "2.345"),
        ("2.345", "1", 2, "2.34", "2.34"),
    ],
)
def test_a_pack_supplies_quantities_that_are_exact_in_both_units(
    asked: str, factor: str, decimals: int, inventory: str, document: str
) -> None:
    item, receipt = of_a_pack(asked, factor, decimals=decimals)
    parts = [(each.inventory, each.document) for each in item.allocations]
    assert parts == ([(Decimal(inventory), Decimal(document))] if Decimal(inventory) else [])
    assert item.indivisible == min(Decimal(asked), receipt.open_inventory) - Decimal(inventory)
    assert item.no_stock == max(Decimal(0), Decimal(asked) - receipt.open_inventory)
    assert item.no_receipt == 0


def receipts_of(*packs: tuple[str, str, str]) -> list[OpenReceiptLine]:
    """Return receipts from (packs, units in a pack, supplier), the oldest first."""
    return [
        OpenReceiptLine(
            *(number, 0, DAY + timedelta(days=number), "A", card_code, "CLP", None),
            *(Decimal(count) * Decimal(factor), Decimal(count), Decimal(factor)),
        )
        for number, (count, factor, card_code) in enumerate(packs)
    ]


@pytest.mark.parametrize(
    ("asked", "packs", "decimals", "shares", "indivisible", "no_receipt"),
    [
        ("10", [("3", "12"), ("10", "1")], 2, ["9", "1"], "0", "0"),
        ("14", [("3", "12"), ("10", "1")], 2, ["12", "2"], "0", "0"),
        ("10", [("3", "12"), ("10", "1")], 0, ["0", "10"], "0", "0"),
        ("14", [("3", "12"), ("10", "1")], 0, ["12", "2"], "0", "0"),
        ("14", [("3", "12"), ("1", "1")], 0, ["12", "1"], "1", "0"),
        ("47", [("3", "12"), ("10", "1")], 0, ["36", "10"], "0", "1"),
        ("14", [("10", "1"), ("3", "12")], 0, ["10", "0"], "4", "0"),
        ("6", [("2", "4"), ("2", "6")], 0, ["4", "0"], "2", "0"),  # in order, although a box of 6 would fit
        ("6", [("2", "12"), ("2", "4"), ("1", "6"), ("2", "1")], 0, ["0", "4", "0", "2"], "0", "0"),
        ("31", [("1", "25"), ("9", "12"), ("3", "2")], 0, ["25", "0", "6"], "0", "0"),
        ("30.5", [("2", "25"), ("9", "1")], 1, ["30", "0.5"], "0", "0"),
        ("1.5", [("3", "1"), ("9", "0.5")], 0, ["1", "0.5"], "0", "0"),
        ("13", [("2", "12"), ("2", "12")], 0, ["12", "0"], "1", "0"),
    ],
)
def test_the_next_receipts_supply_the_remainder_of_a_pack(
    asked: str,
    packs: list[tuple[str, str]],
    decimals: int,
    shares: list[str],
    indivisible: str,
    no_receipt: str,
) -> None:
    receipts = receipts_of(*((*pack, "P") for pack in packs))
    (item,) = allocate(
        [line_request(0, "A", Decimal(asked))], {"A": Decimal(999)}, receipts, decimals=decimals
    )
    given_back = {part.receipt: part.inventory for part in item.allocations}
    assert [given_back.get(receipt, Decimal(0)) for receipt in receipts] == list(map(Decimal, shares))
    assert (item.indivisible, item.no_receipt) == (Decimal(indivisible), Decimal(no_receipt))


def test_the_remainder_of_a_pack_is_available_to_the_next_line() -> None:
    boxes, pieces = receipts_of(("3", "12", "P"), ("10", "1", "P"))
    requested = [line_request(number, "A", Decimal(quantity)) for number, quantity in enumerate((14, 14, 20))]
    planned = allocate(requested, {"A": Decimal(99)}, [pieces, boxes], decimals=0)
    assert [[(part.receipt, part.inventory) for part in line.allocations] for line in planned] == [
        [(boxes, Decimal(12)), (pieces, Decimal(2))],
        [(boxes, Decimal(12)), (pieces, Decimal(2))],
        [(boxes, Decimal(12)), (pieces, Decimal(6))],
    ]
    assert [line.no_receipt for line in planned] == decimals(0, 0, 2)


def test_only_receipts_of_the_supplier_supply_the_remainder_of_a_pack() -> None:
    receipts = receipts_of(("3", "12", "P"), ("10", "1", "Q"), ("1", "1", "P"))
    (item,) = allocate([line_request(0, "A", Decimal(14), "P")], {"A": Decimal(99)}, receipts, decimals=0)
    assert [part.receipt for part in item.allocations] == [receipts[0], receipts[2]]
    assert [item.indivisible, item.no_receipt] == decimals(1, 0)


def test_stock_limits_the_next_receipts() -> None:
    receipts = receipts_of(("3", "12", "P"), ("10", "1", "P"))
    (item,) = allocate([line_request(0, "A", Decimal(14))], {"A": Decimal(13)}, receipts, decimals=0)
    assert [part.inventory for part in item.allocations] == decimals(12, 1)
    assert [item.no_stock, item.indivisible, item.no_receipt] == decimals(1, 0, 0)


def test_a_receipt_in_inventory_units_supplies_a_stock_with_more_decimals() -> None:
    receipt = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, Decimal(10), Decimal(10))
    (item,) = plan([line_request(0, "A", Decimal(10))], {"A": Decimal("2.25")}, [receipt])
    assert [item.allocated, item.no_stock] == [Decimal("2.25"), Decimal("7.75")]
    assert item.indivisible == 0


@given(
    st.decimals(min_value="0.01", max_value=60, places=2) | st.integers(1, 60).map(Decimal),
    st.sampled_from(["0.5", "1.5", "3", "12", "25", "0.25"]),
    st.integers(1, 9) | st.decimals(min_value="0.1", max_value=9, places=1),
    st.integers(0, 3),
)
def test_a_pack_supplies_the_largest_quantity_that_fits(
    asked: Decimal, factor: str, packs: int | Decimal, decimals: int
) -> None:
    """The slow definition tries every quantity with the allowed decimals, from the largest down."""
    item, receipt = of_a_pack(str(asked), factor, decimals=decimals, packs=str(packs))
    if asked >= receipt.open_inventory:
        assert item.allocated == receipt.open_inventory, "what is used up goes back as it came"
        return
    places = max(decimals_of(asked), decimals_of(receipt.open_inventory))
    tried = (Decimal(number).scaleb(-places) for number in range(int(asked.scaleb(places)), -1, -1))
    assert item.allocated == next(each for each in tried if _fits(each, Decimal(factor), decimals))


def test_a_rounded_factor_never_returns_more_than_is_open() -> None:
    third = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, Decimal(1), Decimal(3), Decimal("0.333333"))
    (item,) = allocate([line_request(0, "A", Decimal("0.9999999"))], {"A": Decimal(5)}, [third], decimals=6)
    assert item.allocations[0].document <= 3
    unknown = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, Decimal(24), Decimal(2))
    (item,) = allocate([line_request(0, "A", Decimal(10))], {"A": Decimal(30)}, [unknown], decimals=0)
    assert item.allocations[0].document == 2


def test_lines_of_one_item_share_its_stock_in_order_of_appearance() -> None:
    receipt = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, Decimal(5), Decimal(5))
    first, second = allocate(
        [line_request(0, "A", Decimal(4)), line_request(1, "A", Decimal(4))],
        {"A": Decimal(6)},
        [receipt],
        decimals=2,
    )
    shares = [first.allocated, second.allocated, second.no_receipt, second.no_stock]
    assert shares == decimals(4, 1, 1, 2)


@pytest.mark.parametrize(
    ("factor", "packs", "asked", "shares"),
    [
        ("1", 10, (3, 4, 5), [[(3, "3")], [(4, "4")], [(3, "3")]]),
        ("12", 2, (3, 6, 20), [[(3, "0.25")], [(6, "0.5")], [(15, "1.25")]]),
        ("12", 2, (3, 3, 3, 3, 24), [*[[(3, "0.25")]] * 4, [(12, "1")]]),
    ],
)
def test_earlier_lines_reduce_a_receipt_in_both_units(
    factor: str, packs: int, asked: tuple[int, ...], shares: list[list[tuple[int, str]]]
) -> None:
    size = Decimal(factor)
    receipt = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, packs * size, Decimal(packs), size)
    requested = [line_request(number, "A", Decimal(quantity)) for number, quantity in enumerate(asked)]
    planned = allocate(requested, {"A": Decimal(99)}, [receipt], decimals=2)
    assert [[(each.inventory, each.document) for each in item.allocations] for item in planned] == [
        [(Decimal(inventory), Decimal(document)) for inventory, document in line] for line in shares
    ]
    assert planned[-1].no_receipt == sum(asked) - packs * size


def test_a_used_up_receipt_keeps_its_open_quantity_with_all_decimals() -> None:
    """Covers a receipt from a time with more decimals in the ERP, and one with a rounded factor."""
    old = OpenReceiptLine(1, 0, DAY, "A", "P1", "CLP", None, Decimal("13.992"), Decimal("1.166"), Decimal(12))
    third = OpenReceiptLine(2, 0, DAY, "B", "P1", "CLP", None, Decimal(1), Decimal(3), Decimal("0.333333"))
    requested = [line_request(0, "A", Decimal("13.992")), line_request(1, "B", Decimal(1))]
    planned = allocate(requested, {"A": Decimal(50), "B": Decimal(50)}, [old, third], decimals=2)
    assert [[(each.inventory, each.document) for each in item.allocations] for item in planned] == [
        [(Decimal("13.992"), Decimal("1.166"))],
        [(Decimal(1), Decimal(3))],
    ]
    assert [item.indivisible for item in planned] == decimals(0, 0)


def test_a_receipt_unusable_for_a_line_is_left_to_the_next() -> None:
    first, second = (
        OpenReceiptLine(
            number, 0, DAY + timedelta(days=number), "A", card, "CLP", None, Decimal(10), Decimal(10)
        )
        for number, card in ((1, "P"), (2, "Q"))
    )
    requested = [line_request(0, "A", Decimal(12), "Q"), line_request(1, "A", Decimal(15))]
    limited, free = allocate(requested, {"A": Decimal(99)}, [second, first], decimals=2)
    assert [(each.receipt, each.inventory) for each in limited.allocations] == [(second, Decimal(10))]
    assert [(each.receipt, each.inventory) for each in free.allocations] == [(first, Decimal(10))]
    assert [limited.no_receipt, free.no_receipt] == decimals(2, 5)


INVARIANTS = [
    test_each_requested_unit_is_allocated_or_explained,
    test_every_allocation_is_positive_and_within_the_open_quantity,
    test_allocations_never_exceed_the_stock,
    test_as_much_as_possible_is_allocated,
    test_the_oldest_receipt_is_used_up_first_and_at_most_one_is_used_in_part,
    test_each_receipt_supplies_as_much_as_possible_of_the_remainder,
    test_the_order_of_the_receipts_does_not_matter,
    test_the_order_of_different_items_does_not_matter,
    test_quantities_have_no_more_decimals_than_the_erp_or_the_receipt,
    test_a_pack_supplies_no_more_decimals_than_requested_or_open,
    test_a_pack_supplies_the_largest_quantity_that_fits,
    test_more_requested_or_in_stock_never_lowers_an_allocation,
    test_more_requested_or_in_stock_never_returns_less_of_an_item_in_packs,
    test_every_allocation_is_in_exactly_one_document_of_its_kind,
    test_planning_the_shortage_against_the_remaining_receipts_allocates_nothing,
    test_items_are_allocated_independently,
    test_an_allocation_has_the_item_of_its_line,
    test_less_stock_only_shrinks_the_plan,
    test_allocation_agrees_with_unit_by_unit_allocation,
]


@pytest.mark.proof
@pytest.mark.parametrize("invariant", INVARIANTS, ids=lambda invariant: invariant.__name__)
def test_the_invariants_hold_in_thousands_of_cases(invariant: Callable[[], None]) -> None:
    """Each invariant over many more cases than every run tries."""
    settings(max_examples=3_000, deadline=None)(invariant)()
