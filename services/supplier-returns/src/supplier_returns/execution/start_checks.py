"""Rules for which documents of a planning can be executed."""

from collections.abc import Collection, Iterable, Sequence

from supplier_returns.execution.errors import (
    BatchesRequired,
    BinsUnsupported,
    DocumentNotFound,
    DocumentNotPending,
    ExecutionInterrupted,
    NothingToReturn,
    ReturnFieldsRequired,
)
from supplier_returns.planning.errors import PlanningClosed, StaleVersion
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState, PlanningState
from supplier_returns.settings.custom_fields import CustomField, missing_required


def check_executable(planning: Planning, version: int) -> None:
    """Check that a planning can be executed at this version.

    Raises:
        PlanningClosed: the planning is closed.
        ExecutionInterrupted: an earlier execution was interrupted.
        StaleVersion: the planning has a newer version.
    """
    if planning.state is PlanningState.CLOSED:
        raise PlanningClosed
    if planning.state is PlanningState.RUNNING:
        raise ExecutionInterrupted
    if planning.version != version:
        raise StaleVersion(planning.version)


def check_documents_exist(planning: Planning, chosen: Collection[int] | None) -> None:
    """Check that a planning has the chosen documents.

    Raises:
        DocumentNotFound: a chosen document does not exist.
    """
    actual = {document.doc_id for document in planning.documents}
    for doc_id in chosen or ():
        if doc_id not in actual:
            raise DocumentNotFound(members={"documento": doc_id})


def documents_to_execute(planning: Planning, chosen: Collection[int] | None) -> tuple[int, ...]:
    """Return the documents to execute, in their order.

    Args:
        planning: planning as recorded.
        chosen: documents to execute; None for all pending ones.

    Raises:
        DocumentNotFound: a chosen document does not exist.
        DocumentNotPending: a chosen document was executed before.
        NothingToReturn: no document is pending.
    """
    check_documents_exist(planning, chosen)
    states = {document.doc_id: document.state for document in planning.documents}
    for doc_id in chosen or ():
        if states[doc_id] is not DocumentState.PENDING:
            raise DocumentNotPending(members={"documento": doc_id})
    doc_ids = tuple(
        doc_id
        for doc_id, state in states.items()
        if state is DocumentState.PENDING and (chosen is None or doc_id in chosen)
    )
    if not doc_ids:
        raise NothingToReturn
    return doc_ids


def check_ready(planning: Planning, doc_ids: Collection[int], custom: Iterable[CustomField]) -> None:
    """Check that these documents have everything that the ERP or the installation requires.

    Once a document uses the header, you can't fill in its fields any more, so they are not required then.

    Raises:
        ReturnFieldsRequired: a required field is empty.
        BinsUnsupported: the warehouse uses bin locations.
        BatchesRequired: a line has no picked batches or serial numbers.
    """
    # The service can't allocate bin locations, so the user creates this return in the ERP.
    if planning.header.has_bins:
        raise BinsUnsupported
    unanswered = missing_required(custom, planning.header.return_fields or {})
    # A document that uses the header locks its fields, so nobody could fill in the missing ones.
    if unanswered and not any(document.state.holds_lines for document in planning.documents):
        raise ReturnFieldsRequired(members={"campos": list(unanswered)})
    without_picks = sorted(
        {
            line.line_id
            for line in planning.lines
            if line.lacks_picks and any(part.doc_id in doc_ids for part in line.allocations)
        }
    )
    if without_picks:
        raise BatchesRequired(members={"lineas": without_picks})


def ready_documents(planning: Planning, before: Planning) -> Sequence[int]:
    """Return the new pending documents that are complete, in their order.

    Args:
        planning: planning with the new documents.
        before: planning without them; its pending documents are not part of the request.
    """
    if planning.header.has_bins:
        return ()
    former = {document.doc_id for document in before.documents}
    without_picks = {part.doc_id for line in planning.lines if line.lacks_picks for part in line.allocations}
    return tuple(
        document.doc_id
        for document in planning.documents
        if document.state is DocumentState.PENDING and document.doc_id not in former | without_picks
    )
