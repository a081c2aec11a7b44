"""Lines of a planning that sent or started documents lock. Pure functions."""

from collections.abc import Collection, Container, Set

from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import Planning


def is_locked(line: PlanningLine, planning: Planning) -> bool:
    """Return whether a part of the line is in a document that was sent or started."""
    return _touches(line, _locking_documents(planning))


def free_lines(planning: Planning, items: Collection[str] | None = None) -> list[PlanningLine]:
    """Return the lines without a part in a sent or started document. They can be planned again.

    Args:
        planning: recorded planning.
        items: only lines of these items. None means all.
    """
    locking = _locking_documents(planning)
    return [
        line
        for line in planning.lines
        if (items is None or line.item_code in items) and not _touches(line, locking)
    ]


def _locking_documents(planning: Planning) -> Set[int]:
    return {document.doc_id for document in planning.documents if document.state.holds_lines}


def _touches(line: PlanningLine, doc_ids: Container[int]) -> bool:
    return any(allocation.doc_id in doc_ids for allocation in line.allocations)
