"""Which tax documents to fetch, in which order."""

import enum
from collections.abc import Mapping, Sequence

from attrs import frozen

from supplier_returns.planning.rules.model import DocumentState, Planning, SupplierDocument


class Missing(enum.Enum):
    """Why nothing can be fetched."""

    UNKNOWN = "unknown"
    """The planning has not all of the documents that are asked for."""
    NOT_MADE = "not made"
    """One that is asked for, or every one, does not exist in the ERP."""


def choose(planning: Planning, asked: Sequence[int] | None) -> Sequence[SupplierDocument] | Missing:
    """Return the documents to fetch: those asked for in that order, each once, else all that were made.

    Args:
        planning: As recorded.
        asked: Numbers of documents, None for all.
    """
    by_id = {document.doc_id: document for document in planning.documents}
    wanted = list(by_id) if asked is None else list(dict.fromkeys(asked))
    if any(doc_id not in by_id for doc_id in wanted):
        return Missing.UNKNOWN
    made = [by_id[doc_id] for doc_id in wanted if by_id[doc_id].state is DocumentState.CREATED]
    if not made or (asked is not None and len(made) < len(wanted)):
        return Missing.NOT_MADE
    return made


@frozen
class Fetchable:
    """Documents with the folios that they have by now.

    Attributes:
        ready: Document and folio, in order.
        without_folio: Numbers of the documents that have none yet.
    """

    ready: tuple[tuple[SupplierDocument, int], ...]
    without_folio: tuple[int, ...]


def with_folios(documents: Sequence[SupplierDocument], folios: Mapping[int, int]) -> Fetchable:
    """Pair documents with folios.

    Args:
        documents: Made ones.
        folios: By the return's `DocEntry`.
    """
    ready: list[tuple[SupplierDocument, int]] = []
    waiting: list[int] = []
    for document in documents:
        folio = folios.get(document.doc_entry or 0)
        if folio:
            ready.append((document, folio))
        else:
            waiting.append(document.doc_id)
    return Fetchable(tuple(ready), tuple(waiting))


def numbered(planning: Planning, folios: Mapping[int, int]) -> dict[int, int]:
    """Return the folios that the record does not have yet, by document number."""
    found = ((document, folios.get(document.doc_entry or 0)) for document in planning.documents)
    return {document.doc_id: folio for document, folio in found if folio and folio != document.folio}
