"""Lines added to a planning, in fixed examples."""

from datetime import date
from decimal import Decimal
from typing import Any

import attrs
import pytest

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warehouse import StockItem, WarehouseFacts
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.plans import plan_added, with_added, with_erp_codes
from supplier_returns.quantities import ZERO

DAY = date(2026, 3, 4)
HEADER = PlanningHeader(whs_code="01", posting_date=DAY, document_date=DAY, max_lines=60)
DOCUMENT = SupplierDocument(
    doc_id=1, card_code="P", name="", tax_id="", currency="CLP", branch=None, part=1, line_count=1, total=ZERO
)


def receipt(number: int, item: str, quantity: int) -> OpenReceiptLine:
    amount = Decimal(quantity)
    return OpenReceiptLine(number, 0, DAY, item, "P", "CLP", None, amount, amount, Decimal(1))


def line(line_id: int, item: str, quantity: int, reason: str | None = None) -> PlanningLine:
    return PlanningLine(line_id=line_id, item_code=item, quantity=Decimal(quantity), reason=reason)


def planning(*lines: PlanningLine, state: DocumentState = DocumentState.PENDING) -> Planning:
    documents = (attrs.evolve(DOCUMENT, state=state),)
    return Planning(header=HEADER, lines=lines, documents=documents, created_by="bodega")


def short(lines: tuple[PlanningLine, ...]) -> list[tuple[int, str, int, str | None]]:
    return [(each.line_id, each.item_code, int(each.quantity), each.reason) for each in lines]


def test_item_codes_are_spelled_as_in_the_erp_and_then_merged() -> None:
    stock = [StockItem("Ab", "", "UN", Decimal(1))]
    requested = [line(1, "ab", 1), line(2, "zz", 2), line(3, "AB", 3), line(4, "Ab", 4, "VENC")]
    assert short(tuple(with_erp_codes(requested, stock))) == [
        (1, "Ab", 4, None),
        (2, "zz", 2, None),
        (3, "Ab", 4, "VENC"),
    ]


def test_an_added_quantity_goes_to_the_first_editable_line() -> None:
    before = planning(line(3, "A", 1), line(5, "A", 2), line(4, "A", 1, "VENC"))
    requested = [attrs.evolve(line(1, "A", 7), rows=(9,)), line(2, "B", 1), line(3, "A", 1, "ROTO")]
    added = with_added(before, requested)
    assert short(added.lines) == [
        (3, "A", 8, None),
        (5, "A", 2, None),
        (4, "A", 1, "VENC"),
        (6, "B", 1, None),
        (7, "A", 1, "ROTO"),
    ]
    assert added.lines[0].rows == (9,)


@pytest.mark.parametrize("change", [{"excluded": True}, {"card_code": "P"}])
def test_an_excluded_or_limited_line_does_not_change(change: dict[str, Any]) -> None:
    before = planning(attrs.evolve(line(1, "A", 1), **change))
    assert short(with_added(before, [line(1, "A", 2)]).lines) == [(1, "A", 1, None), (2, "A", 2, None)]


@pytest.mark.parametrize(
    ("state", "lines"),
    [
        (DocumentState.PENDING, [(1, "A", 3, None)]),
        (DocumentState.OMITTED, [(1, "A", 3, None)]),
        (DocumentState.CREATED, [(1, "A", 1, None), (2, "A", 2, None)]),
        (DocumentState.FAILED, [(1, "A", 1, None), (2, "A", 2, None)]),
    ],
)
def test_a_line_in_a_sent_document_does_not_change(
    state: DocumentState, lines: list[tuple[int, str, int, str | None]]
) -> None:
    part = Allocation(receipt(1, "A", 9), Decimal(1), Decimal(1), doc_id=1)
    before = planning(attrs.evolve(line(1, "A", 1), allocations=(part,)), state=state)
    assert short(with_added(before, [line(1, "A", 2)]).lines) == lines


def test_lines_of_an_empty_planning_are_numbered_from_one() -> None:
    assert short(with_added(planning(), [line(8, "A", 2)]).lines) == [(1, "A", 2, None)]


def test_adding_plans_only_these_items_and_gives_up_their_failed_documents() -> None:
    of_a = Allocation(receipt(1, "A", 9), Decimal(1), Decimal(1), doc_id=1)
    untouched = Allocation(receipt(2, "B", 9), Decimal(1), Decimal(1), doc_id=1)
    before = planning(
        attrs.evolve(line(1, "A", 1), allocations=(of_a,)),
        attrs.evolve(line(2, "B", 1), allocations=(untouched,)),
        state=DocumentState.FAILED,
    )
    snapshot = WarehouseSnapshot(
        WarehouseFacts("01"),
        [StockItem("A", "", "UN", Decimal(3)), StockItem("B", "", "UN", ZERO)],
        [receipt(1, "A", 9)],
        2,
    )
    planned = plan_added(before, [line(1, "a", 4)], snapshot)
    assert [document.state for document in planned.documents] == [
        DocumentState.OMITTED,
        DocumentState.PENDING,
    ]
    assert [(each.item_code, int(each.allocated), int(each.no_stock)) for each in planned.lines] == [
        ("A", 3, 2),
        ("B", 1, 0),
    ]
    assert {part.doc_id for each in planned.lines for part in each.allocations} == {2}
