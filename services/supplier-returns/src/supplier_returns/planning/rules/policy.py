"""What may be done with a planning now. Pure decisions."""

import enum
from collections.abc import Collection, Container, Set

from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState, PlanningState


def is_locked(line: PlanningLine, planning: Planning) -> bool:
    """Tell whether a document that is more than a plan holds a part of the line."""
    return _touches(line, _locking_documents(planning))


def free_lines(planning: Planning, items: Collection[str] | None = None) -> list[PlanningLine]:
    """Return the lines that may be planned anew: those of which no document holds anything.

    Args:
        planning: As recorded.
        items: Only lines of these items; None for all.
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


class Action(enum.Enum):
    """What a person may do; the value is its name on the wire.

    Only what this service can do is ever offered: an action appears here together with its route.
    """

    EDIT = "editar"
    ADD_LINES = "lineas"
    REPLAN = "replanificar"
    EXECUTE = "devoluciones"
    REPROCESS = "reprocesar"
    CLOSE = "cerrar"


def actions_of(planning: Planning, *, is_running: bool = False) -> tuple[Action, ...]:
    """Return what may be done now, so that a frontend needs no rules about states.

    Args:
        planning: As recorded.
        is_running: Whether an execution of it runs: then nothing may be done but wait.
    """
    if is_running or planning.state is PlanningState.CLOSED:
        return ()
    states = set(planning.document_states.values())
    has_unresolved = bool(planning.unresolved)
    was_cut_off = planning.state is PlanningState.RUNNING
    free = free_lines(planning.without_failed(None))
    is_done = planning.state is PlanningState.DONE
    offered = {
        Action.EDIT: not was_cut_off and not is_done and bool(free),
        Action.ADD_LINES: not was_cut_off and not is_done,
        Action.REPLAN: not was_cut_off and not is_done and bool(free),
        Action.EXECUTE: not was_cut_off and DocumentState.PENDING in states and not planning.header.has_bins,
        Action.REPROCESS: planning.is_misstated or has_unresolved or DocumentState.FAILED in states,
        Action.CLOSE: not has_unresolved,
    }
    return tuple(action for action, is_offered in offered.items() if is_offered)


def state_now(recorded: PlanningState, *, is_running: bool) -> PlanningState:
    """Return the state to show: an execution that has just begun may not be on record yet.

    Args:
        recorded: The planning's state on record.
        is_running: Whether an execution of it runs.
    """
    return PlanningState.RUNNING if is_running and recorded is not PlanningState.CLOSED else recorded
