"""Planning the content of given-up documents again."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NoReturn

import attrs
import pytest
from plannings import document, item, line, part, planning, receipt
from typing_extensions import override

from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState, LineState
from supplier_returns.planning.model.warehouse import WarehouseFacts
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.plans import MAX_ROWS, PlanTooLargeError, plan, replan, replan_remainders

D = DocumentState


def snapshot(on_hand: int, *receipts: OpenReceiptLine) -> WarehouseSnapshot:
    return WarehouseSnapshot(WarehouseFacts("01"), [item("A", on_hand), item("B", 100)], receipts, 6)


def allocated(after: Planning) -> dict[int, list[tuple[int, int, DocumentState]]]:
    """Return receipt, quantity and document state of each allocation, by line."""
    states = {each.doc_id: each.state for each in after.documents}
    return {
        each.line_id: [
            (got.receipt.doc_entry, int(got.inventory), states[got.doc_id]) for got in each.allocations
        ]
        for each in after.lines
    }


def test_created_documents_stay_and_the_remainder_uses_current_receipts() -> None:
    before = planning(
        line(1, part(2, 1, entry=501), part(3, 2, entry=502)),
        documents=(document(1, D.CREATED), document(2, D.OMITTED)),
    )
    after = replan_remainders(before, snapshot(10, receipt(503, open_inventory=Decimal(9))))
    assert allocated(after) == {1: [(501, 2, D.CREATED), (503, 3, D.PENDING)]}
    assert after.lines[0].quantity == 5


def test_goods_of_an_uncertain_document_are_not_planned_again() -> None:
    before = planning(
        line(1, part(4, 1, entry=501), part(3, 2, entry=502)),
        documents=(document(1, D.UNCERTAIN), document(2, D.OMITTED)),
    )
    open_now = (receipt(501, open_inventory=Decimal(4)), receipt(503, open_inventory=Decimal(9)))
    assert allocated(replan_remainders(before, snapshot(6, *open_now))) == {
        1: [(501, 4, D.UNCERTAIN), (503, 2, D.PENDING)]
    }


def test_goods_of_a_pending_document_are_not_planned_again() -> None:
    of_b = line(3, part(1, 3, entry=601, item="B"), item_code="B")
    before = planning(
        line(1, part(3, 2, entry=502)),
        line(2, part(2, 3, entry=503)),
        of_b,
        documents=(document(2, D.OMITTED), document(3, D.PENDING)),
    )
    after = replan_remainders(before, snapshot(4, receipt(504, open_inventory=Decimal(9))))
    assert allocated(after) == {
        1: [(504, 2, D.PENDING)],
        2: [(503, 2, D.PENDING)],
        3: [(601, 1, D.PENDING)],
    }
    assert [each.doc_id for each in after.documents] == [2, 3, 4]
    assert {part.doc_id for line in after.lines[1:] for part in line.allocations} == {3}


def test_a_line_completely_in_other_documents_does_not_change() -> None:
    whole = line(2, part(2, 1, entry=501))
    before = planning(
        line(1, part(3, 2, entry=502)), whole, documents=(document(1, D.CREATED), document(2, D.OMITTED))
    )
    after = replan_remainders(before, snapshot(0))
    assert after.lines[1].allocations == whole.allocations
    assert not after.lines[0].allocations
    assert after.lines[0].no_stock == 3


def test_a_line_is_not_failed_after_its_document_is_given_up() -> None:
    failed = {"state": LineState.FAILED}
    before = planning(
        line(1, part(3, 1, entry=501), **failed),
        line(2, part(2, 1, entry=601, item="B"), item_code="B", **failed),
        line(3, part(1, 2, entry=602, item="B"), part(1, 1, entry=603, item="B"), item_code="B", **failed),
        line(4, part(1, 3, entry=604, item="B"), item_code="B", **failed),
        documents=(document(1, D.FAILED), document(2, D.CREATED), document(3, D.FAILED)),
    )
    after = replan(before.without_failed({"A"}), [before.lines[0]], snapshot(3, receipt(501)))
    assert [each.state for each in after.documents] == [D.OMITTED, D.CREATED, D.FAILED, D.PENDING]
    assert [each.state for each in after.lines] == [LineState.PLANNED] * 3 + [LineState.FAILED]


def test_a_remainder_with_too_many_receipt_lines_is_refused() -> None:
    before = planning(line(1, part(MAX_ROWS + 1, 2, entry=502)), documents=(document(2, D.OMITTED),))
    many = [receipt(1000 + number, open_inventory=Decimal(1)) for number in range(MAX_ROWS + 1)]
    with pytest.raises(PlanTooLargeError):
        replan_remainders(before, attrs.evolve(snapshot(MAX_ROWS + 1), receipts=many))


class UnreadReceipts(Sequence[OpenReceiptLine]):
    """Receipts that must not be read."""

    @override
    def __len__(self) -> int:
        return 1

    @override
    def __getitem__(self, index: object) -> NoReturn:
        raise AssertionError("it was planned")


def test_too_many_lines_are_refused_before_planning() -> None:
    lines = [line(number, item_code="A", quantity=Decimal(1)) for number in range(1, MAX_ROWS + 2)]
    unread = attrs.evolve(snapshot(MAX_ROWS + 1), receipts=UnreadReceipts())
    with pytest.raises(PlanTooLargeError):
        plan(lines, unread, max_lines=60, return_date=date(2026, 3, 4))
    with pytest.raises(PlanTooLargeError):
        replan(planning(*lines), lines, unread)
