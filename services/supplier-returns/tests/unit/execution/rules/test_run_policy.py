"""A planning around the runs of its documents."""

from collections.abc import Iterator
from decimal import Decimal

import attrs
import pytest
from plannings import document, line, part, planning
from typing_extensions import override

from supplier_returns.execution.rules.return_body import ReturnFields, write_return
from supplier_returns.execution.rules.run_policy import (
    closing,
    finished,
    give_up,
    has_appeared,
    has_made,
    held_back,
    is_newly_held,
    sent_otherwise,
    sort_out,
    to_prepare,
    with_documents,
    with_keys,
    with_late_plan,
)
from supplier_returns.planning.rules.model import (
    Allocation,
    DocumentState,
    LineState,
    OwnCode,
    PlanningState,
    SupplierDocument,
)
from supplier_returns.planning.rules.policy import open_ended, state_of_planning

D = DocumentState


def failed(doc_id: int, error_class: str, code: str | None = None) -> SupplierDocument:
    return document(doc_id, D.FAILED, error_class=error_class, error_code=code)


def test_open_ends_are_resumed_passing_failures_tried_again_and_the_rest_made_anew() -> None:
    before = planning(
        line(1, *(part(1, doc_id) for doc_id in range(1, 11))),
        documents=(
            document(1, D.RUNNING),
            document(2, D.UNCERTAIN),
            document(3, D.IN_APPROVAL),
            document(4, D.CREATED),
            failed(5, "periodo", "-4013"),
            failed(6, "stock", "-10"),
            document(7, D.PENDING),
            document(8, D.PENDING, key=""),
            document(9, D.OMITTED),
            failed(10, "erp", OwnCode.KEY_TAKEN.value),
        ),
    )
    after = sort_out(before, None, replan=False)
    assert after.resume == (1, 2, 3, 5, 7, 10)
    assert after.given_up == (6,)
    states = {each.doc_id: each.state for each in after.planning.documents}
    assert (states[5], states[6], states[10]) == (D.PENDING, D.FAILED, D.FAILED)
    assert states[4] is D.CREATED
    given_up = {each.doc_id: each.state for each in give_up(after.planning, after.given_up).documents}
    assert given_up == {**states, 6: D.OMITTED}


def test_only_the_chosen_documents_are_seen_to() -> None:
    before = planning(
        line(1, part(1, 3)),
        documents=(document(1, D.RUNNING), document(2, D.UNCERTAIN), failed(3, "stock")),
    )
    after = sort_out(before, {2}, replan=False)
    assert (after.resume, after.given_up) == ((2,), ())
    assert after.planning == before


def test_whoever_asks_for_it_gets_everything_that_failed_made_anew() -> None:
    before = planning(
        line(1, part(1, 1)),
        documents=(
            failed(1, "periodo"),
            failed(2, "erp", OwnCode.DRAFT_GONE.value),
            document(3, D.UNCERTAIN),
        ),
    )
    after = sort_out(before, None, replan=True)
    assert (after.resume, after.given_up) == ((2, 3), (1, 2)), (
        "what may have come to life is looked for first"
    )
    assert after.planning == before


def test_what_holds_nothing_is_dropped_unless_the_erp_may_have_it() -> None:
    before = planning(
        documents=(
            failed(1, "periodo"),
            failed(2, "stock"),
            document(3, D.PENDING),
            document(4, D.UNCERTAIN),
            failed(5, "erp", OwnCode.KEY_TAKEN.value),
            document(6, D.CREATED),
        )
    )
    after = sort_out(before, None, replan=False)
    assert (after.resume, after.given_up) == ((4, 5), ())
    assert [each.state for each in after.planning.documents] == [
        D.OMITTED,
        D.OMITTED,
        D.OMITTED,
        D.UNCERTAIN,
        D.FAILED,
        D.CREATED,
    ]
    assert sort_out(before, {9}, replan=False).planning == before


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
def test_a_run_made_what_the_erp_has_or_may_have_since_it_began(
    state: DocumentState, *, expected: bool
) -> None:
    before = planning(documents=(document(1), document(2, state)))
    assert has_made(before, with_documents(before, [document(1, state)])) is expected
    assert not has_made(before, before)
    anew = attrs.evolve(before, documents=(*before.documents, document(3, state)))
    assert has_made(before, anew) is expected
    again = attrs.evolve(before.documents[1], attempts=before.documents[1].attempts + 1)
    assert has_made(before, with_documents(before, [again])) is expected


@pytest.mark.parametrize("appeared", [D.CREATED, D.CANCELLED])
def test_what_was_never_sent_is_held_back_where_an_omitted_return_appeared(appeared: DocumentState) -> None:
    others = (document(2), document(3, attempts=1), document(4, key=""), document(5, D.UNCERTAIN))
    holding = line(1, part(doc_id=1), part(doc_id=5))
    before = planning(holding, documents=(document(1, D.OMITTED), *others))
    after = held_back(before, with_documents(before, [document(1, appeared)]))
    kept = [(each.key == "", each.message is not None) for each in after.documents]
    assert kept == [(False, False), (True, True), (False, False), (True, True), (False, False)]
    assert held_back(before, before) == before
    made = planning(holding, documents=(document(1, D.CREATED), *others))
    assert held_back(made, made) == made


@pytest.mark.parametrize("state", [D.CREATED, D.UNCERTAIN, D.RUNNING, D.IN_APPROVAL])
def test_what_was_never_sent_is_held_back_where_a_document_was_made_that_holds_nothing_any_more(
    state: DocumentState,
) -> None:
    moved = planning(line(1, part(doc_id=2)), documents=(document(1, state), document(2)))
    known = held_back(moved, moved)
    (_, held) = known.documents
    assert (held.key, "Compárelas" in (held.message or "")) == ("", True)
    assert is_newly_held(moved, known)
    assert not is_newly_held(known, held_back(known, known)), "a person has been told"


@pytest.mark.parametrize(
    ("former", "number", "expected"),
    [(D.OMITTED, 1, True), (D.PENDING, 1, False), (D.FAILED, 1, False), (D.PENDING, 2, True)],
)
def test_a_return_appeared_that_no_document_stood_for(
    former: DocumentState, number: int, *, expected: bool
) -> None:
    before = planning(documents=(document(1, former),))
    known = attrs.evolve(before, documents=(*before.documents[: number - 1], document(number, D.CREATED)))
    assert has_appeared(before, known) is expected
    assert not has_appeared(known, known)


def test_only_what_still_stands_as_failed_is_given_up() -> None:
    before = planning(documents=(failed(1, "stock"), document(2, D.CREATED), failed(3, "stock")))
    after = give_up(before, (1, 2))
    assert [each.state for each in after.documents] == [D.OMITTED, D.CREATED, D.FAILED]
    assert give_up(before, (2,)) == before


def test_picks_that_the_erp_refused_are_forgotten_and_no_others() -> None:
    before = planning(
        line(1, part(1, 1, batch="L1"), part(1, 2, batch="L2"), part(1, 3, serial="S")),
        documents=(failed(1, "lotes"), failed(2, "stock"), failed(3, "lotes")),
    )
    after = give_up(before, (1, 2))
    assert [each.lot for each in after.lines[0].allocations] == [None, "L2", "S"]


def test_what_waits_and_what_has_no_key_is_prepared_to_be_posted() -> None:
    before = planning(
        documents=(document(1), document(2, key=""), document(3, D.UNCERTAIN), document(4, D.FAILED, key=""))
    )
    assert to_prepare(before, (1, 3, 4)) == [1, 4]


def test_keys_are_given_once_and_stand_for_what_is_posted() -> None:
    before = planning(line(1, part(2)), documents=(document(1, key=""), document(2, key="old"), document(3)))
    after = with_keys(before, (1, 2), lambda at, doc_id: f"K{at.id}-{doc_id}", ReturnFields())
    first, second, third = after.documents
    assert (first.key, second.key) == ("K1-1", "old")
    assert first.payload_hash == write_return(after, first, ReturnFields()).digest
    assert second.payload_hash != first.payload_hash
    assert third == before.documents[2]


class Counting(tuple[Allocation, ...]):  # noqa: SLOT001 - a kind of tuple can have no slots of its own
    """Allocations that count how often somebody goes through them."""

    times = 0

    @override
    def __iter__(self) -> Iterator[Allocation]:
        self.times += 1
        return super().__iter__()


def test_keys_for_many_documents_go_through_the_allocations_once() -> None:
    counted = [Counting([part(1, doc_id)]) for doc_id in range(1, 6)]
    lines = [attrs.evolve(line(n), allocations=each) for n, each in enumerate(counted, 1)]
    documents = tuple(document(doc_id, key="") for doc_id in range(1, 6))
    before = planning(*lines, documents=documents)
    with_keys(before, range(1, 6), lambda _, doc_id: str(doc_id), ReturnFields())
    assert [each.times for each in counted] == [1] * 5


def test_one_document_is_replaced() -> None:
    before = planning(documents=(document(1), document(2)))
    changed = document(2, D.CREATED)
    assert with_documents(before, [changed]).documents == (before.documents[0], changed)


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
def test_a_planning_stands_where_its_documents_do(
    states: list[DocumentState], expected: PlanningState
) -> None:
    assert state_of_planning(document(number, state) for number, state in enumerate(states)) is expected


def test_lines_say_what_became_of_them() -> None:
    before = planning(
        line(1, part(2, doc_id=1)),
        line(2, part(2, doc_id=1), part(1, doc_id=2)),
        line(3, part(1, doc_id=3)),
        line(4, excluded=True),
        line(5, quantity=Decimal(3), no_stock=Decimal(3)),
        documents=(document(1, D.CREATED), document(2, D.FAILED), document(3)),
    )
    assert [each.state for each in finished(before).lines] == [
        LineState.RETURNED,
        LineState.FAILED,
        LineState.PLANNED,
        LineState.EXCLUDED,
        LineState.NO_STOCK,
    ]
    assert finished(before).state is PlanningState.WITH_ERRORS


def test_what_was_cancelled_in_the_erp_is_not_returned() -> None:
    before = planning(
        line(1, part(2, doc_id=1)),
        line(2, part(2, doc_id=2)),
        line(3, part(2, doc_id=1), part(1, doc_id=2)),
        documents=(document(1, D.CREATED), document(2, D.CANCELLED)),
    )
    assert [each.state for each in finished(before).lines] == [
        LineState.RETURNED,
        LineState.DROPPED,
        LineState.PARTIAL,
    ]


def test_closing_drops_what_was_not_made() -> None:
    before = planning(
        line(1, part(2, doc_id=1)),
        line(2, part(2, doc_id=2)),
        line(3, excluded=True, state=LineState.EXCLUDED),
        line(4, part(1, doc_id=1), part(2, doc_id=2), state=LineState.FAILED),
        line(5, part(1, doc_id=4), part(2, doc_id=2)),
        documents=(document(1, D.CREATED), document(2, D.FAILED), document(3), document(4, D.CANCELLED)),
    )
    after = closing(before)
    assert [each.state for each in after.documents] == [D.CREATED, D.OMITTED, D.OMITTED, D.CANCELLED]
    assert [each.state for each in after.lines] == [
        LineState.PLANNED,
        LineState.DROPPED,
        LineState.EXCLUDED,
        LineState.PARTIAL,
        LineState.DROPPED,
    ]


def test_open_ends_are_named() -> None:
    states = (D.RUNNING, D.UNCERTAIN, D.IN_APPROVAL, D.CREATED, D.FAILED, D.PENDING)
    documents = tuple(document(number, state) for number, state in enumerate(states, 1))
    assert open_ended(documents) == (1, 2, 3)


@pytest.mark.parametrize(
    ("state", "expected"), [(D.CREATED, {1}), (D.UNCERTAIN, {1}), (D.FAILED, set()), (D.PENDING, set())]
)
def test_what_was_sent_otherwise_than_the_record_says_is_named(
    state: DocumentState, expected: set[int]
) -> None:
    lines = line(1, part(doc_id=1), part(doc_id=2))
    marked = with_keys(planning(lines, documents=(document(1), document(2))), (1, 2), _key, ReturnFields())
    made = with_documents(marked, [attrs.evolve(each, state=state) for each in marked.documents])
    assert not sent_otherwise(made, ReturnFields())
    late = attrs.evolve(made, lines=(line(1, part(doc_id=2)),))
    assert sent_otherwise(late, ReturnFields()) == expected


def _key(_: object, doc_id: int) -> str:
    return f"K-{doc_id}"


def test_a_late_plan_is_told_once_and_what_it_brought_waits_for_people() -> None:
    asked = planning(line(1, part(doc_id=1)), documents=(document(1, message="Hay copias."), document(2)))
    marked = with_keys(asked, (1,), _key, ReturnFields())
    tried = attrs.evolve(marked.documents[1], attempts=1, message="No se envió.")
    ours = with_documents(marked, [attrs.evolve(marked.documents[0], state=D.CREATED), tried])
    late = attrs.evolve(
        asked,
        lines=(line(1, part(doc_id=2)),),
        documents=(*asked.documents, document(3), document(4, D.OMITTED)),
    )
    told = with_late_plan(ours, late, ReturnFields())
    first, second, third, fourth = told.documents
    assert (first.state, first.key) == (D.CREATED, marked.documents[0].key), "what was made stays"
    assert (first.message or "").startswith("Hay copias. El plan cambió mientras se hacía esta devolución")
    assert [(each.key == "", "Compárelas" in (each.message or "")) for each in (second, third)] == [
        (False, True),  # it was tried
        (True, True),
    ]
    assert (fourth.message, told.state) == (None, PlanningState.PLANNED)
    assert not sort_out(told, None, replan=False).resume, "a person has to look first"
    assert with_late_plan(told, told, ReturnFields()) == told
    new = attrs.evolve(told, documents=(*told.documents, document(5)))
    assert with_late_plan(new, new, ReturnFields()).documents[4].key, "what is planned since is not held back"


def test_a_late_plan_under_a_document_in_doubt_holds_back_what_waits_too() -> None:
    asked = planning(line(1, part(doc_id=1)), documents=(document(1), document(2)))
    marked = with_keys(asked, (1,), _key, ReturnFields())
    ours = with_documents(marked, [attrs.evolve(marked.documents[0], state=D.UNCERTAIN)])
    late = attrs.evolve(asked, lines=(line(1, part(doc_id=2)),))
    told = with_late_plan(ours, late, ReturnFields())
    assert [each.message is None for each in told.documents] == [True, False]
    assert with_late_plan(ours, ours, ReturnFields()) == finished(ours)
