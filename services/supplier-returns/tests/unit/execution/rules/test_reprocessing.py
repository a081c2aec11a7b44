"""Decisions of reprocessing for each document."""

from plannings import document, line, part, planning

from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.planning.model.documents import OwnCode, SupplierDocument
from supplier_returns.planning.model.states import DocumentState

D = DocumentState


def failed(doc_id: int, error_class: str, code: str | None = None) -> SupplierDocument:
    return document(doc_id, D.FAILED, error_class=error_class, error_code=code)


def test_unresolved_documents_are_looked_up_and_failures_retried_or_replanned() -> None:
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
    after = Reprocessing.of(before, None, replan=False)
    assert after.resume == (1, 2, 3, 5, 7, 10)
    assert after.given_up == (6,)
    states = {each.doc_id: each.state for each in after.planning.documents}
    assert (states[5], states[6], states[10]) == (D.PENDING, D.FAILED, D.FAILED)
    assert states[4] is D.CREATED
    given_up = {each.doc_id: each.state for each in after.planning.without_given_up(after.given_up).documents}
    assert given_up == {**states, 6: D.OMITTED}


def test_only_the_chosen_documents_change() -> None:
    before = planning(
        line(1, part(1, 3)),
        documents=(document(1, D.RUNNING), document(2, D.UNCERTAIN), failed(3, "stock")),
    )
    after = Reprocessing.of(before, {2}, replan=False)
    assert (after.resume, after.given_up) == ((2,), ())
    assert after.planning == before


def test_replanning_gives_up_every_failed_document() -> None:
    before = planning(
        line(1, part(1, 1)),
        documents=(
            failed(1, "periodo"),
            failed(2, "erp", OwnCode.DRAFT_GONE.value),
            document(3, D.UNCERTAIN),
        ),
    )
    after = Reprocessing.of(before, None, replan=True)
    assert (after.resume, after.given_up) == ((2, 3), (1, 2)), (
        "what may have come to life is looked for first"
    )
    assert after.planning == before


def test_empty_documents_are_omitted_unless_the_erp_may_have_them() -> None:
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
    after = Reprocessing.of(before, None, replan=False)
    assert (after.resume, after.given_up) == ((4, 5), ())
    assert [each.state for each in after.planning.documents] == [
        D.OMITTED,
        D.OMITTED,
        D.OMITTED,
        D.UNCERTAIN,
        D.FAILED,
        D.CREATED,
    ]
    assert Reprocessing.of(before, {9}, replan=False).planning == before
