"""Keys and digests before a post, and their comparison with the record afterwards."""

from collections.abc import Iterator

import attrs
import pytest
from plannings import document, line, part, planning
from typing_extensions import override

from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.rules.return_body import ReturnFields, write_return
from supplier_returns.execution.rules.sent_content import SentContent, to_prepare
from supplier_returns.planning.model.lines import Allocation
from supplier_returns.planning.model.states import DocumentState, PlanningState

D = DocumentState
CONTENT = SentContent(ReturnFields())


def test_pending_documents_and_those_without_a_key_are_prepared() -> None:
    before = planning(
        documents=(document(1), document(2, key=""), document(3, D.UNCERTAIN), document(4, D.FAILED, key=""))
    )
    assert to_prepare(before, (1, 3, 4)) == [1, 4]


def test_a_document_keeps_its_key_and_gets_the_digest_of_its_body() -> None:
    before = planning(line(1, part(2)), documents=(document(1, key=""), document(2, key="old"), document(3)))
    after = CONTENT.prepare(before, (1, 2), lambda at, doc_id: f"K{at.id}-{doc_id}")
    first, second, third = after.documents
    assert (first.key, second.key) == ("K1-1", "old")
    assert first.payload_hash == write_return(after, first, ReturnFields()).digest
    assert second.payload_hash != first.payload_hash
    assert third == before.documents[2]


class Counting(tuple[Allocation, ...]):  # noqa: SLOT001 - a kind of tuple can have no slots of its own
    """Allocations that count their iterations."""

    times = 0

    @override
    def __iter__(self) -> Iterator[Allocation]:
        self.times += 1
        return super().__iter__()


def test_preparing_many_documents_reads_each_allocation_once() -> None:
    counted = [Counting([part(1, doc_id)]) for doc_id in range(1, 6)]
    lines = [attrs.evolve(line(n), allocations=each) for n, each in enumerate(counted, 1)]
    documents = tuple(document(doc_id, key="") for doc_id in range(1, 6))
    before = planning(*lines, documents=documents)
    CONTENT.prepare(before, range(1, 6), lambda _, doc_id: str(doc_id))
    assert [each.times for each in counted] == [1] * 5


@pytest.mark.parametrize(
    ("state", "expected"), [(D.CREATED, {1}), (D.UNCERTAIN, {1}), (D.FAILED, set()), (D.PENDING, set())]
)
def test_documents_sent_with_other_content_than_recorded_are_found(
    state: DocumentState, expected: set[int]
) -> None:
    lines = line(1, part(doc_id=1), part(doc_id=2))
    attempt_recorded = CONTENT.prepare(planning(lines, documents=(document(1), document(2))), (1, 2), _key)
    made = attempt_recorded.with_documents(
        [attrs.evolve(each, state=state) for each in attempt_recorded.documents]
    )
    assert not CONTENT.differing(made)
    late = attrs.evolve(made, lines=(line(1, part(doc_id=2)),))
    assert CONTENT.differing(late) == expected


def _key(_: object, doc_id: int) -> str:
    return f"K-{doc_id}"


def test_a_late_plan_is_reported_once_and_its_documents_are_on_hold() -> None:
    custom = planning(line(1, part(doc_id=1)), documents=(document(1, message="Hay copias."), document(2)))
    attempt_recorded = CONTENT.prepare(custom, (1,), _key)
    tried = attrs.evolve(attempt_recorded.documents[1], attempts=1, message="No se envió.")
    own_planning = attempt_recorded.with_documents(
        [attrs.evolve(attempt_recorded.documents[0], state=D.CREATED), tried]
    )
    late = attrs.evolve(
        custom,
        lines=(line(1, part(doc_id=2)),),
        documents=(*custom.documents, document(3), document(4, D.OMITTED)),
    )
    named = CONTENT.merge(own_planning, late)
    first, second, third, fourth = named.documents
    assert (first.state, first.key) == (D.CREATED, attempt_recorded.documents[0].key), "what was made stays"
    assert (first.message or "").startswith("Hay copias. El plan cambió mientras se hacía esta devolución")
    assert [(each.key == "", "Compárelas" in (each.message or "")) for each in (second, third)] == [
        (False, True),  # the document has an attempt
        (True, True),
    ]
    assert (fourth.message, named.state) == (None, PlanningState.PLANNED)
    assert not Reprocessing.of(named, None, replan=False).resume, "a person has to look first"
    assert CONTENT.merge(named, named) == named
    new = attrs.evolve(named, documents=(*named.documents, document(5)))
    assert CONTENT.merge(new, new).documents[4].key, "what is planned since is not held back"


def test_a_late_plan_under_an_uncertain_document_puts_pending_ones_on_hold() -> None:
    custom = planning(line(1, part(doc_id=1)), documents=(document(1), document(2)))
    attempt_recorded = CONTENT.prepare(custom, (1,), _key)
    own_planning = attempt_recorded.with_documents(
        [attrs.evolve(attempt_recorded.documents[0], state=D.UNCERTAIN)]
    )
    late = attrs.evolve(custom, lines=(line(1, part(doc_id=2)),))
    named = CONTENT.merge(own_planning, late)
    assert [each.message is None for each in named.documents] == [True, False]
    assert CONTENT.merge(own_planning, own_planning) == own_planning.with_states()
