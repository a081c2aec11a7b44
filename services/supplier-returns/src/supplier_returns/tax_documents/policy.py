"""Decides which documents a download has."""

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


def choose(planning: Planning, requested: Sequence[int] | None) -> list[SupplierDocument]:
    """Return the documents to fetch: those asked for in that order, each once, else all that were made.

    Args:
        planning: As recorded.
        requested: Numbers of documents, None for all.

    Raises:
        DocumentNotFound: The planning has not all of the documents that are asked for.
        NoDocumentMade: One that is asked for, or every one, does not exist in the ERP.
    """
    by_id = {document.doc_id: document for document in planning.documents}
    wanted = list(by_id) if requested is None else list(dict.fromkeys(requested))
    if any(doc_id not in by_id for doc_id in wanted):
        raise DocumentNotFound
    made = [by_id[doc_id] for doc_id in wanted if by_id[doc_id].state is DocumentState.CREATED]
    if not made or (requested is not None and len(made) < len(wanted)):
        raise NoDocumentMade
    return made


def with_folios(documents: Sequence[SupplierDocument], folios: Mapping[int, int]) -> tuple[Ready, list[int]]:
    """Pair documents with the folios that they have by now; return the numbers of those without beside it.

    Args:
        documents: Made ones.
        folios: By the return's `DocEntry`.
    """
    found = [(document, folios.get(document.doc_entry or 0)) for document in documents]
    ready = [(document, folio) for document, folio in found if folio]
    return ready, [document.doc_id for document, folio in found if not folio]


def numbered(planning: Planning, folios: Mapping[int, int]) -> dict[int, int]:
    """Return the folios that the record does not have yet, by document number."""
    ready, _ = with_folios(planning.documents, folios)
    return {document.doc_id: folio for document, folio in ready if folio != document.folio}
