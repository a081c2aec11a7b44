"""Distribution of allocations over numbered documents, in linear time."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, ClassVar

import pytest
from plannings import document, line, part
from typing_extensions import override

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.rules.documents import Arrangement, arrange
from supplier_returns.planning.rules.drafting import BINS_UNSUPPORTED

DOCUMENTS = 200
D = DocumentState


def arranged(
    lines: Sequence[PlanningLine], *before: SupplierDocument, max_lines: int = 60, **how: bool
) -> Arrangement:
    return arrange(lines, before, max_lines=max_lines, has_bins=False, **how)


def places(after: Arrangement) -> list[list[tuple[int, int, int]]]:
    """Return receipt, document and position of each allocation, by line."""
    return [
        [(each.receipt.doc_entry, each.doc_id, each.position) for each in of_line.allocations]
        for of_line in after.lines
    ]


def kinds(after: Arrangement) -> list[tuple[int, str, int, D]]:
    return [(each.doc_id, each.card_code, each.part, each.state) for each in after.documents]


def test_a_document_has_one_supplier_currency_and_branch() -> None:
    groups: list[dict[str, Any]] = [
        {"card_code": "P2"},
        {},
        {"currency": "USD"},
        {"branch": 1},
        {"card_code": "P2"},
        {"branch": 2},
    ]
    lines = [line(number, part(2, 0, entry=number, **group)) for number, group in enumerate(groups, start=1)]
    after = arranged(lines)
    assert [(each.doc_id, each.card_code, each.currency, each.branch) for each in after.documents] == [
        (1, "P2", "CLP", None),
        (2, "P1", "CLP", None),
        (3, "P1", "USD", None),
        (4, "P1", "CLP", 1),
        (5, "P1", "CLP", 2),
    ]
    assert places(after) == [[(1, 1, 0)], [(2, 2, 0)], [(3, 3, 0)], [(4, 4, 0)], [(5, 1, 1)], [(6, 5, 0)]]
    assert [(each.part, each.line_count) for each in after.documents] == [(1, 2), *[(1, 1)] * 4]


def test_a_document_has_its_supplier_and_the_total_in_receipt_units() -> None:
    supplier = {"supplier_name": "Molinos", "supplier_tax_id": "76-K"}
    (made,) = arranged(
        [
            line(1, part(24, 0, document=Decimal(2), entry=1, price=Decimal(50), **supplier)),
            line(2, part(3, 0, entry=2, price=Decimal("0.5"), **supplier)),
        ]
    ).documents
    assert (made.name, made.tax_id, made.total) == ("Molinos", "76-K", Decimal("101.5"))
    assert (made.state, made.message) == (D.PENDING, None)


def test_documents_of_a_warehouse_with_bins_have_a_message() -> None:
    (made,) = arrange([line(1, part(2, 0))], (), max_lines=60, has_bins=True).documents
    assert made.message == BINS_UNSUPPORTED


def test_a_full_document_is_followed_by_another_in_order_of_receipts() -> None:
    after = arranged([line(1, *(part(1, 0, entry=entry) for entry in (5, 3, 1, 4, 2)))], max_lines=2)
    assert kinds(after) == [(1, "P1", 1, D.PENDING), (2, "P1", 2, D.PENDING), (3, "P1", 3, D.PENDING)]
    assert [each.line_count for each in after.documents] == [2, 2, 1]
    assert places(after) == [[(5, 3, 0), (3, 2, 0), (1, 1, 0), (4, 2, 1), (2, 1, 1)]]


def test_one_receipt_line_for_two_reasons_is_one_document_line() -> None:
    both = [line(1, part(1, 0, entry=1)), line(2, part(2, 0, entry=1), part(1, 0, entry=2), reason="VENC")]
    after = arranged(both, max_lines=1)
    assert places(after) == [[(1, 1, 0)], [(1, 1, 0), (2, 2, 0)]]


def test_pending_documents_are_rebuilt_and_keep_their_numbers() -> None:
    before = (
        document(2, D.PENDING, card_code="P2"),
        document(3, D.PENDING, part=1),
        document(5, D.PENDING, part=2),
        document(6, D.PENDING, card_code="P3"),
    )
    lines = [
        line(1, *(part(1, 3, entry=entry) for entry in (1, 2, 3))),
        line(2, part(1, 6, card_code="P3")),
        line(3, part(1, 2, card_code="P4"), part(1, 2, card_code="P5")),
    ]
    after = arranged(lines, *before, max_lines=1)
    assert kinds(after) == [
        (3, "P1", 1, D.PENDING),
        (5, "P1", 2, D.PENDING),
        (6, "P3", 1, D.PENDING),
        (7, "P1", 3, D.PENDING),
        (8, "P4", 1, D.PENDING),
        (9, "P5", 1, D.PENDING),
    ]
    assert places(after)[0] == [(1, 3, 0), (2, 5, 0), (3, 7, 0)]


@pytest.mark.parametrize("state", [each for each in D if each not in (D.PENDING, D.OMITTED)])
def test_sent_documents_stay_and_part_numbers_continue(state: D) -> None:
    before = document(4, state, part=3), document(2, D.CREATED, part=1)
    after = arranged([line(1, part(1, 4, entry=1), part(1, 0, entry=2))], *before)
    assert kinds(after) == [(2, "P1", 1, D.CREATED), (4, "P1", 3, state), (5, "P1", 4, D.PENDING)]
    assert places(after) == [[(1, 4, 0), (2, 5, 0)]]


def test_allocations_of_an_omitted_document_move_to_another() -> None:
    after = arranged([line(1, part(1, 1, entry=1, position=7))], document(1, D.OMITTED))
    assert kinds(after) == [(1, "P1", 1, D.OMITTED), (2, "P1", 2, D.PENDING)]
    assert places(after) == [[(1, 2, 0)]]


def test_pending_documents_can_keep_their_content() -> None:
    after = arranged(
        [line(1, part(1, 1, entry=1, position=3), part(1, 0, entry=2))], document(1), keep_pending=True
    )
    assert kinds(after) == [(1, "P1", 1, D.PENDING), (2, "P1", 2, D.PENDING)]
    assert places(after) == [[(1, 1, 3), (2, 2, 0)]]


class ComparedDocument(SupplierDocument):
    """A document that counts comparisons."""

    compared: ClassVar[int] = 0

    @override
    def __eq__(self, other: object) -> bool:
        ComparedDocument.compared += 1
        return super().__eq__(other)

    @override
    def __hash__(self) -> int:
        return hash(self.doc_id)


def test_new_documents_are_not_compared_with_all_others() -> None:
    made = [
        ComparedDocument(
            doc_id=number,
            card_code=f"P{number}",
            name="",
            tax_id="",
            currency="CLP",
            branch=None,
            part=1,
            line_count=1,
            total=document().total,
            state=DocumentState.CREATED,
        )
        for number in range(1, DOCUMENTS + 1)
    ]
    assert arrange([], made, max_lines=60, has_bins=False).documents == tuple(made)
    assert ComparedDocument.compared <= DOCUMENTS
