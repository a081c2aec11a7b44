"""Which documents of a planning an execution may take."""

from collections.abc import Collection, Sequence

from supplier_returns.execution.errors import (
    BatchesRequired,
    BinsUnsupported,
    DocumentNotFound,
    DocumentNotPending,
    ExecutionInterrupted,
    NothingToReturn,
)
from supplier_returns.planning.errors import PlanningClosed, StaleVersion
from supplier_returns.planning.rules.model import DocumentState, Planning, PlanningState


def check_executable(planning: Planning, version: int) -> None:
    """Check that a planning may be executed by somebody who has seen this version.

    Raises:
        PlanningClosed: It is closed.
        ExecutionInterrupted: An execution was cut off.
        StaleVersion: It was changed since.
    """
    if planning.state is PlanningState.CLOSED:
        raise PlanningClosed
    if planning.state is PlanningState.RUNNING:
        raise ExecutionInterrupted
    if planning.version != version:
        raise StaleVersion(planning.version)


def check_known(planning: Planning, chosen: Collection[int] | None) -> None:
    """Check that a planning has the documents that somebody chose.

    Raises:
        DocumentNotFound: It has not all of them.
    """
    known = {document.doc_id for document in planning.documents}
    for doc_id in chosen or ():
        if doc_id not in known:
            raise DocumentNotFound(members={"documento": doc_id})


def executable(planning: Planning, chosen: Collection[int] | None) -> tuple[int, ...]:
    """Return the documents to execute, in their order.

    Args:
        planning: As recorded.
        chosen: Only these, None for all that wait.

    Raises:
        DocumentNotFound: It has not all of them.
        DocumentNotPending: One of them was executed before.
        NothingToReturn: None waits.
    """
    check_known(planning, chosen)
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


def check_ready(planning: Planning, doc_ids: Collection[int]) -> None:
    """Check that these documents lack nothing that the ERP asks for.

    Raises:
        BinsUnsupported: The warehouse keeps its stock in bins.
        BatchesRequired: Batches or serial numbers are not picked.
    """
    if planning.header.has_bins:
        raise BinsUnsupported
    lacking = sorted(
        {
            line.line_id
            for line in planning.lines
            if line.lacks_picks and any(part.doc_id in doc_ids for part in line.allocations)
        }
    )
    if lacking:
        raise BatchesRequired(lacking)


def pick_ready(planning: Planning, before: Planning) -> Sequence[int]:
    """Return the documents that are new, wait and lack nothing, in their order.

    Args:
        planning: With documents that were just planned.
        before: Without them; what waited then was not asked for.
    """
    if planning.header.has_bins:
        return ()
    former = {document.doc_id for document in before.documents}
    lacking = {part.doc_id for line in planning.lines if line.lacks_picks for part in line.allocations}
    return tuple(
        document.doc_id
        for document in planning.documents
        if document.state is DocumentState.PENDING and document.doc_id not in former | lacking
    )
