"""Choose the documents of a download."""

from collections.abc import Mapping, Sequence

from supplier_returns.execution.errors import DocumentNotFound
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.tax_documents.errors import (
    NoDocumentMade,
)

Ready = Sequence[tuple[SupplierDocument, int]]
"""Documents with their folios, in order."""


def select_documents(planning: Planning, requested: Sequence[int] | None) -> list[SupplierDocument]:
    """Return the documents to fetch: the requested ones in that order, or all created ones.

    Args:
        planning: recorded planning.
        requested: document numbers. None means all.

    Raises:
        DocumentNotFound: the planning does not have a requested document.
        NoDocumentMade: a requested document, or every document, does not exist in the ERP.
    """
    by_id = {document.doc_id: document for document in planning.documents}
    doc_ids = list(by_id) if requested is None else list(dict.fromkeys(requested))
    if any(doc_id not in by_id for doc_id in doc_ids):
        raise DocumentNotFound
    created = [by_id[doc_id] for doc_id in doc_ids if by_id[doc_id].state is DocumentState.CREATED]
    if not created or (requested is not None and len(created) < len(doc_ids)):
        raise NoDocumentMade
    return created


def with_folios(documents: Sequence[SupplierDocument], folios: Mapping[int, int]) -> tuple[Ready, list[int]]:
    """Pair documents with their folios. Also return the numbers of the documents without one.

    Args:
        documents: created documents.
        folios: folios by the return's `DocEntry`.
    """
    pairs = [(document, folios.get(document.doc_entry or 0)) for document in documents]
    ready = [(document, folio) for document, folio in pairs if folio]
    return ready, [document.doc_id for document, folio in pairs if not folio]


def new_folios(planning: Planning, folios: Mapping[int, int]) -> dict[int, int]:
    """Return the folios that the record lacks, by document number."""
    ready, _ = with_folios(planning.documents, folios)
    return {document.doc_id: folio for document, folio in ready if folio != document.folio}
