"""Choice and order of the tax documents in a download."""

import pytest
from plannings import document, planning

from supplier_returns.execution.errors import DocumentNotFound
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.tax_documents.errors import NoDocumentMade
from supplier_returns.tax_documents.selection import new_folios, select_documents, with_folios

MADE = tuple(document(number, DocumentState.CREATED, doc_entry=number * 10) for number in (1, 2, 3))
PLANNING = planning(documents=(*MADE, document(4, DocumentState.FAILED)))


def test_all_created_documents_keep_their_order_and_requested_ones_that_of_the_request() -> None:
    assert select_documents(PLANNING, None) == list(MADE)
    assert select_documents(PLANNING, [3, 1, 3]) == [MADE[2], MADE[0]]


def test_missing_documents_and_those_without_a_return_have_different_errors() -> None:
    with pytest.raises(DocumentNotFound):
        select_documents(PLANNING, [1, 9])
    for made, requested in (
        (PLANNING, [1, 4]),
        (planning(documents=(document(1),)), None),
        (planning(), None),
    ):
        with pytest.raises(NoDocumentMade):
            select_documents(made, requested)


def test_documents_without_a_folio_are_separated() -> None:
    homeless = document(5, DocumentState.CREATED)
    assert with_folios([*MADE, homeless], {10: 7, 30: 9}) == ([(MADE[0], 7), (MADE[2], 9)], [2, 5])


def test_only_new_folios_are_recorded() -> None:
    recorded = planning(
        documents=(document(1, DocumentState.CREATED, doc_entry=10, folio=7), MADE[1], document(3))
    )
    assert new_folios(recorded, {10: 7, 20: 8}) == {2: 8}
    assert new_folios(recorded, {10: 6}) == {1: 6}
