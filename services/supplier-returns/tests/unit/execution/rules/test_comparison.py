"""Comparison of a recorded planning with the returns in the ERP."""

import attrs
import pytest
from plannings import document, line, part, planning

from supplier_returns.execution.rules.comparison import Comparison
from supplier_returns.planning.model.states import DocumentState

D = DocumentState


@pytest.mark.parametrize("appeared", [D.CREATED, D.CANCELLED])
def test_pending_documents_go_on_hold_after_the_return_of_an_omitted_one_appears(
    appeared: DocumentState,
) -> None:
    others = (document(2), document(3, attempts=1), document(4, key=""), document(5, D.UNCERTAIN))
    holding = line(1, part(doc_id=1), part(doc_id=5))
    before = planning(holding, documents=(document(1, D.OMITTED), *others))
    after = Comparison(before, before.with_documents([document(1, appeared)])).with_holds()
    pending_documents = [(each.key == "", each.message is not None) for each in after.documents]
    assert pending_documents == [(False, False), (True, True), (False, False), (True, True), (False, False)]
    assert Comparison(before, before).with_holds() == before
    made = planning(holding, documents=(document(1, D.CREATED), *others))
    assert Comparison(made, made).with_holds() == made


@pytest.mark.parametrize("state", [D.CREATED, D.UNCERTAIN, D.RUNNING, D.IN_APPROVAL])
def test_pending_documents_go_on_hold_after_a_sent_document_loses_its_lines(
    state: DocumentState,
) -> None:
    moved = planning(line(1, part(doc_id=2)), documents=(document(1, state), document(2)))
    actual = Comparison(moved, moved).with_holds()
    (_, on_hold) = actual.documents
    assert (on_hold.key, "Compárelas" in (on_hold.message or "")) == ("", True)
    assert Comparison(moved, actual).has_new_hold
    assert not Comparison(actual, Comparison(actual, actual).with_holds()).has_new_hold, (
        "a person has been told"
    )


@pytest.mark.parametrize(
    ("former", "number", "expected"),
    [(D.OMITTED, 1, True), (D.PENDING, 1, False), (D.FAILED, 1, False), (D.PENDING, 2, True)],
)
def test_a_return_without_a_current_document_is_new(
    former: DocumentState, number: int, *, expected: bool
) -> None:
    before = planning(documents=(document(1, former),))
    actual = attrs.evolve(before, documents=(*before.documents[: number - 1], document(number, D.CREATED)))
    assert Comparison(before, actual).has_new_return is expected
    assert not Comparison(actual, actual).has_new_return
