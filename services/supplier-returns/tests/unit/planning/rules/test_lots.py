"""Available batches and serial numbers, in fixed examples."""

from datetime import date
from decimal import Decimal

import attrs
import pytest

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warehouse import Management
from supplier_returns.planning.rules.lots import Lot, LotChoice, Lots, available_lots, lot_choices
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.quantities import ZERO

DAY = date(2026, 3, 4)
HEADER = PlanningHeader(whs_code="01", posting_date=DAY, document_date=DAY, max_lines=60)
RECEIPT = OpenReceiptLine(1, 0, DAY, "A", "P", "CLP", None, Decimal(99), Decimal(99), Decimal(1))


def part(quantity: int, *, batch: str | None = None, serial: str | None = None, doc: int = 1) -> Allocation:
    amount = Decimal(quantity)
    return Allocation(RECEIPT, amount, amount, doc_id=doc, batch=batch, serial=serial)


def line(line_id: int, *parts: Allocation, item: str = "A") -> PlanningLine:
    return PlanningLine(
        line_id=line_id,
        item_code=item,
        quantity=sum((each.inventory for each in parts), ZERO),
        management=Management.BATCHES,
        allocations=parts,
    )


def planning(*lines: PlanningLine, state: DocumentState = DocumentState.PENDING) -> Planning:
    document = SupplierDocument(
        doc_id=1, card_code="P", name="", tax_id="", currency="CLP", branch=None, part=1, line_count=1,
        total=ZERO, state=state,
    )  # fmt: skip
    return Planning(header=HEADER, lines=lines, documents=(document,), created_by="bodega")


def lot(name: str, quantity: int, *, item: str = "A") -> Lot:
    return Lot(item, name, Decimal(quantity))


def pick(name: str, quantity: int) -> Pick:
    return Pick(Decimal(quantity), batch=name)


def test_a_batch_in_two_rows_is_added_up() -> None:
    lots = Lots([lot("L1", 2), lot("L1", 3), lot("L1", 7, item="B")])
    assert [lots.available("A", "L1"), lots.available("B", "L1"), lots.available("A", "L2")] == [5, 7, 0]


def test_a_pick_is_limited_by_the_lot_and_the_maximum() -> None:
    lots = Lots([lot("L1", 2), lot("L2", 5)])
    assert lots.take("A", [pick("L1", 3), pick("NO", 1), pick("L2", 4)], most=Decimal(4)) == [
        pick("L1", 2),
        pick("L2", 2),
    ]
    assert [lots.available("A", "L1"), lots.available("A", "L2")] == [0, 3], (
        "what a line no longer needs stays there"
    )
    assert lots.take("A", [pick("L2", 1)], most=ZERO) == []


def test_the_first_insufficient_batch_is_returned() -> None:
    lots = Lots([lot("L1", 2)])
    assert lots.find_shortage("A", [pick("L1", 1), pick("L1", 1)]) is None
    assert lots.find_shortage("A", [pick("L1", 1)]) == (pick("L1", 1), ZERO)
    assert lots.find_shortage("A", [pick("NO", 1)]) == (pick("NO", 1), ZERO)


def test_a_reservation_may_exceed_the_lot() -> None:
    lots = Lots([lot("L1", 2)])
    lots.reserve("A", [part(3, batch="L1"), part(4)])
    assert lots.available("A", "L1") == 0


@pytest.mark.parametrize(
    ("state", "left"),
    [
        (DocumentState.PENDING, 4),
        (DocumentState.RUNNING, 4),
        (DocumentState.UNCERTAIN, 4),
        (DocumentState.IN_APPROVAL, 4),
        (DocumentState.FAILED, 4),
        (DocumentState.OMITTED, 4),
        (DocumentState.CREATED, 6),
        (DocumentState.CANCELLED, 6),
    ],
)
def test_picks_of_other_lines_are_unavailable_until_the_erp_posts_them(
    state: DocumentState, left: int
) -> None:
    mine, others = line(1, part(1, batch="L1")), line(2, part(2, batch="L1"))
    stranger = line(3, part(3, batch="L1", doc=0), item="B")
    at = planning(mine, others, stranger, state=state)
    assert available_lots([lot("L1", 6)], at, mine).available("A", "L1") == left


def test_lots_are_ordered_by_expiry_arrival_and_name() -> None:
    lots = [
        lot("Z", 1),
        lot("Y", 1),
        attrs.evolve(lot("X", 1), admitted=date(2025, 1, 1)),
        attrs.evolve(lot("W", 1), expires=date(2027, 1, 1)),
        attrs.evolve(lot("V", 1), expires=date(2026, 1, 1), admitted=date(2026, 1, 1)),
    ]
    mine = line(1, part(1, batch="Y"), part(5))
    found = lot_choices(lots, planning(mine), mine)
    assert [each.lot.name for each in found] == ["V", "W", "X", "Y", "Z"]
    assert found[3] == LotChoice(lots[1], picked=Decimal(1), available=Decimal(1))
    assert found[4] == LotChoice(lots[0], picked=ZERO, available=Decimal(1))


def test_a_serial_number_picked_by_another_line_is_unavailable() -> None:
    mine, others = line(1, part(1)), line(2, part(1, serial="S1"))
    at = planning(mine, others)
    assert lot_choices([lot("S1", 1)], at, mine) == [LotChoice(lot("S1", 1), picked=ZERO, available=ZERO)]
    assert lot_choices([lot("S1", 1)], at, others) == [
        LotChoice(lot("S1", 1), picked=Decimal(1), available=Decimal(1))
    ]


def test_a_pick_has_the_name_of_its_batch_or_serial_number() -> None:
    assert (pick("L1", 1).name, Pick(Decimal(1), serial="S1").name, Pick(Decimal(1)).name) == ("L1", "S1", "")
    assert (part(1, batch="L").lot, part(1, serial="S").lot, part(1).lot) == ("L", "S", None)
