"""Documents whose lines were refused before for the same cause."""

from datetime import date
from typing import Any

import attrs
import pytest
from plannings import document, line, part, planning

from supplier_returns.execution.rules.repeats import refused_again, with_repeats
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.rules.return_body import ReturnFields, write_return
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import REPEATED, SENTENCES

D = DocumentState
FIELDS = ReturnFields()


def refused(doc_id: int, state: DocumentState, **more: Any) -> SupplierDocument:
    given = {"error_class": "base", "error_code": "-10", "message": "Already closed"}
    return document(doc_id, state, **{**given, **more})


def sent(before: Planning, doc_id: int) -> SupplierDocument:
    """Return a document with the digest of its posted body."""
    found = next(each for each in before.documents if each.doc_id == doc_id)
    return attrs.evolve(found, payload_hash=write_return(before, found, FIELDS).digest)


def replanned(**second: Any) -> Planning:
    """Return a planning whose document was refused, replanned with the same lines, and refused again."""
    first = planning(line(1, part(2, doc_id=1)), documents=(refused(1, D.FAILED),))
    omitted = attrs.evolve(sent(first, 1), state=D.OMITTED)
    moved = planning(line(1, part(2, doc_id=2)), documents=(omitted, refused(2, D.FAILED, **second)))
    return attrs.evolve(moved, documents=(omitted, sent(moved, 2)))


def test_lines_refused_twice_for_the_same_cause_are_left_to_a_person() -> None:
    before = replanned()
    assert refused_again(before, FIELDS) == {2}
    named = with_repeats(before, FIELDS)
    assert named.documents[1].state is D.FAILED
    assert named.documents[1].message == f"Already closed {SENTENCES[REPEATED]}"
    assert with_repeats(named, FIELDS) == named, "it is said once"
    after = Reprocessing.of(named, None, replan=False, repeated=refused_again(named, FIELDS))
    assert (after.resume, after.given_up) == ((), ())
    assert after.planning == named
    assert Reprocessing.of(named, None, replan=True, repeated={2}).given_up == (2,), "a person asked for it"


@pytest.mark.parametrize(
    "second",
    [
        {"error_class": "stock"},
        {"error_code": "-5002"},
        {"error_class": "periodo"},
        {"error_class": "erp", "error_code": "clave_usada"},
        {"branch": 2},
    ],
    ids=["class", "code", "passing", "own", "document"],
)
def test_another_cause_or_document_is_not_a_repeat(second: dict[str, Any]) -> None:
    before = replanned(**second)
    assert refused_again(before, FIELDS) == frozenset()
    assert with_repeats(before, FIELDS) == before


@pytest.mark.parametrize("change", ["quantity", "receipt", "batch", "header"])
def test_other_lines_are_not_a_repeat(change: str) -> None:
    before = replanned()
    parts = {"quantity": part(1, doc_id=2), "receipt": part(2, doc_id=2, entry=502)}
    parts["batch"] = part(2, doc_id=2, batch="L8")
    if change == "header":
        after = attrs.evolve(before, header=attrs.evolve(before.header, posting_date=date(2026, 9, 9)))
    else:
        after = attrs.evolve(before, lines=(line(1, parts[change]),))
    assert refused_again(after, FIELDS) == frozenset()


def test_a_planning_without_omitted_documents_has_no_repeats() -> None:
    before = planning(line(1, part(2, doc_id=1)), documents=(refused(1, D.FAILED),))
    assert refused_again(before, FIELDS) == frozenset()
