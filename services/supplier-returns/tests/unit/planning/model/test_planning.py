"""Methods of plannings, lines and documents."""

from decimal import Decimal

import attrs
import pytest
from plannings import document, line, part, planning

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.states import DocumentState, LineState, PlanningState
from supplier_returns.planning.model.warnings import ON_HOLD, OTHER_CONTENT

D = DocumentState


def failed(doc_id: int, error_class: str, code: str | None = None) -> SupplierDocument:
    return document(doc_id, D.FAILED, error_class=error_class, error_code=code)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (D.CREATED, True),
        (D.CANCELLED, True),
        (D.IN_APPROVAL, True),
        (D.UNCERTAIN, True),
        (D.RUNNING, False),
        (D.FAILED, False),
        (D.PENDING, False),
    ],
)
def test_has_posted_since_includes_created_and_uncertain_documents(
    state: DocumentState, *, expected: bool
) -> None:
    before = planning(documents=(document(1), document(2, state)))
    assert before.with_documents([document(1, state)]).has_posted_since(before) is expected
    assert not before.has_posted_since(before)
    anew = attrs.evolve(before, documents=(*before.documents, document(3, state)))
    assert anew.has_posted_since(before) is expected
    again = attrs.evolve(before.documents[1], attempts=before.documents[1].attempts + 1)
    assert before.with_documents([again]).has_posted_since(before) is expected


def test_only_failed_documents_are_given_up() -> None:
    before = planning(documents=(failed(1, "stock"), document(2, D.CREATED), failed(3, "stock")))
    after = before.without_given_up((1, 2))
    assert [each.state for each in after.documents] == [D.OMITTED, D.CREATED, D.FAILED]
    assert before.without_given_up((2,)) == before


def test_only_refused_picks_are_dropped() -> None:
    before = planning(
        line(1, part(1, 1, batch="L1"), part(1, 2, batch="L2"), part(1, 3, serial="S")),
        documents=(failed(1, "lotes"), failed(2, "stock"), failed(3, "lotes")),
    )
    after = before.without_given_up((1, 2), without_picks=(1, 3))
    assert [each.lot for each in after.lines[0].allocations] == [None, "L2", "S"]


def test_one_document_is_replaced() -> None:
    before = planning(documents=(document(1), document(2)))
    changed = document(2, D.CREATED)
    assert before.with_documents([changed]).documents == (before.documents[0], changed)


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([D.CREATED, D.OMITTED, D.CANCELLED], PlanningState.DONE),
        ([D.CANCELLED], PlanningState.WITH_ERRORS),
        ([D.CANCELLED, D.OMITTED], PlanningState.WITH_ERRORS),
        ([D.CANCELLED, D.PENDING], PlanningState.WITH_ERRORS),
        ([D.CANCELLED, D.CREATED, D.PENDING], PlanningState.PLANNED),
        ([D.CREATED, D.FAILED], PlanningState.WITH_ERRORS),
        ([D.CREATED, D.UNCERTAIN], PlanningState.WITH_ERRORS),
        ([D.CREATED, D.RUNNING], PlanningState.WITH_ERRORS),
        ([D.IN_APPROVAL], PlanningState.WITH_ERRORS),
        ([D.CREATED, D.PENDING], PlanningState.PLANNED),
        ([D.OMITTED], PlanningState.PLANNED),
        ([], PlanningState.PLANNED),
    ],
)
def test_the_state_of_a_planning_follows_from_its_documents(
    states: list[DocumentState], expected: PlanningState
) -> None:
    assert (
        planning(
            documents=tuple(document(number, state) for number, state in enumerate(states))
        ).state_by_documents
        is expected
    )


def test_the_state_of_a_line_follows_from_its_documents() -> None:
    before = planning(
        line(1, part(2, doc_id=1)),
        line(2, part(2, doc_id=1), part(1, doc_id=2)),
        line(3, part(1, doc_id=3)),
        line(4, excluded=True),
        line(5, quantity=Decimal(3), no_stock=Decimal(3)),
        documents=(document(1, D.CREATED), document(2, D.FAILED), document(3)),
    )
    assert [each.state for each in before.with_states().lines] == [
        LineState.RETURNED,
        LineState.FAILED,
        LineState.PLANNED,
        LineState.EXCLUDED,
        LineState.NO_STOCK,
    ]
    assert before.with_states().state is PlanningState.WITH_ERRORS


def test_goods_of_a_cancelled_return_do_not_count_as_returned() -> None:
    before = planning(
        line(1, part(2, doc_id=1)),
        line(2, part(2, doc_id=2)),
        line(3, part(2, doc_id=1), part(1, doc_id=2)),
        documents=(document(1, D.CREATED), document(2, D.CANCELLED)),
    )
    assert [each.state for each in before.with_states().lines] == [
        LineState.RETURNED,
        LineState.DROPPED,
        LineState.PARTIAL,
    ]


def test_closing_drops_documents_without_a_return() -> None:
    before = planning(
        line(1, part(2, doc_id=1)),
        line(2, part(2, doc_id=2)),
        line(3, excluded=True, state=LineState.EXCLUDED),
        line(4, part(1, doc_id=1), part(2, doc_id=2), state=LineState.FAILED),
        line(5, part(1, doc_id=4), part(2, doc_id=2)),
        documents=(document(1, D.CREATED), document(2, D.FAILED), document(3), document(4, D.CANCELLED)),
    )
    after = before.closed()
    assert [each.state for each in after.documents] == [D.CREATED, D.OMITTED, D.OMITTED, D.CANCELLED]
    assert [each.state for each in after.lines] == [
        LineState.PLANNED,
        LineState.DROPPED,
        LineState.EXCLUDED,
        LineState.PARTIAL,
        LineState.DROPPED,
    ]


def test_unresolved_documents_are_listed() -> None:
    states = (D.RUNNING, D.UNCERTAIN, D.IN_APPROVAL, D.CREATED, D.FAILED, D.PENDING)
    documents = tuple(document(number, state) for number, state in enumerate(states, 1))
    assert planning(documents=documents).unresolved == (1, 2, 3)


def test_a_new_message_drops_the_warnings_of_the_old_one() -> None:
    on_hold_document = document().on_hold(next(iter(ON_HOLD)))
    assert on_hold_document.is_on_hold
    assert not on_hold_document.with_message("Otra cosa").warnings


def test_a_warning_is_added_once_to_a_message() -> None:
    once = document(message="Hay copias.").with_warning("El plan cambió.", OTHER_CONTENT)
    assert once.message == "Hay copias. El plan cambió."
    assert once.warnings == {OTHER_CONTENT}
    assert once.with_warning("Otro texto.", OTHER_CONTENT) == once
