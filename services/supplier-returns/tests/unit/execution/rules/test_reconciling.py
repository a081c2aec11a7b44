"""Correction of a planning's record by the returns in the ERP."""

from typing import Any

import pytest
from plannings import document, planning

from supplier_returns.execution.rules.finding import ErpReturn
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.planning.model.documents import OwnCode
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState

D = DocumentState


def made(doc_id: int = 1, entry: int = 90, key: str = "", **more: Any) -> ErpReturn:
    given: dict[str, Any] = {"card_code": "P1", "key": key or f"ODEV-1-{doc_id}-aa"}
    return ErpReturn(doc_entry=entry, doc_num=entry * 10, **{**given, **more})


def named(after: Planning) -> list[tuple[int, DocumentState, int | None]]:
    return [(each.doc_id, each.state, each.doc_entry) for each in after.documents]


@pytest.mark.parametrize("state", [D.PENDING, D.FAILED, D.OMITTED])
def test_a_found_return_makes_its_document_created(state: DocumentState) -> None:
    after = reconcile(planning(documents=(document(1, state, error_class="erp"),)), [made()])
    assert named(after) == [(1, D.CREATED, 90)]
    assert after.documents[0].error_class is None
    assert bool(after.documents[0].message) == (state is D.OMITTED)


def test_a_return_under_an_older_key_asks_for_a_comparison() -> None:
    after = reconcile(planning(documents=(document(1, key=""),)), [made()])
    assert (after.documents[0].key, named(after)) == ("ODEV-1-1-aa", [(1, D.CREATED, 90)])
    assert "compárela con lo planificado" in (after.documents[0].message or "")


@pytest.mark.parametrize("more", [{"is_cancelled": True}, {"is_cancellation": True}])
def test_a_cancelled_return_does_not_make_a_document_created(more: dict[str, Any]) -> None:
    before = planning(documents=(document(1, D.OMITTED),))
    assert reconcile(before, [made(**more)]) == before


def test_only_its_own_return_cancels_a_document() -> None:
    before = planning(documents=(document(1, D.CREATED, doc_entry=90, doc_num=900, folio=7),))
    assert reconcile(before, [made(), made(entry=91, is_cancelled=True)]) == before
    assert reconcile(before, [made(), made(entry=92, card_code="P2", is_cancelled=True)]) == before
    assert reconcile(before, []) == before
    (after,) = reconcile(before, [made(is_cancelled=True)]).documents
    assert (after.state, after.doc_entry, after.folio) == (D.CANCELLED, 90, 7)
    assert after.message == "La devolución 900 fue anulada en el ERP."


def test_a_folio_assigned_later_is_recorded() -> None:
    before = planning(documents=(document(1, D.CREATED, doc_entry=90), document(2, D.CREATED, doc_entry=91)))
    after = reconcile(before, [made(folio=7), made(2, 91, folio=8, is_cancelled=True)])
    assert [(each.state, each.folio) for each in after.documents] == [(D.CREATED, 7), (D.CANCELLED, 8)]


@pytest.mark.parametrize("state", [D.RUNNING, D.UNCERTAIN, D.IN_APPROVAL])
def test_unresolved_documents_do_not_change(state: DocumentState) -> None:
    before = planning(documents=(document(1, state),))
    assert reconcile(before, [made()]) == before
    assert reconcile(before, [made(card_code="P2")]) == before


def test_a_return_without_a_document_gets_one() -> None:
    before = planning(documents=(document(1, D.CREATED, doc_entry=90), document(2)))
    others = (made(2, 92, card_code="P2"), made(3, 93), made(4, 94, is_cancelled=True))
    after = reconcile(before, [made(), *others])
    assert named(after) == [(1, D.CREATED, 90), (2, D.PENDING, None), (3, D.CREATED, 92), (4, D.CREATED, 93)]
    assert [each.card_code for each in after.documents[2:]] == ["P2", "P1"]
    assert reconcile(after, [made(), *others]) == after


def test_a_message_names_further_returns_once() -> None:
    before = planning(documents=(document(1, D.CREATED, doc_entry=90),))
    copied = [made(), made(entry=91), made(entry=92, key="ODEV-1-1-bb")]
    after = reconcile(before, copied)
    assert named(after) == [(1, D.CREATED, 90)]
    sentence = "El ERP tiene más devoluciones con la misma clave: 910, 920. Revíselas."
    assert after.documents[0].message == sentence
    assert reconcile(after, copied) == after


def test_a_reported_return_of_another_supplier_gets_no_document() -> None:
    before = planning(documents=(document(2, D.FAILED, error_code=OwnCode.FOREIGN_RETURN.value),))
    assert reconcile(before, [made(2, 92, card_code="P2")]) == before
