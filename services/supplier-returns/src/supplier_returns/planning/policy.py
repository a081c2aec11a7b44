"""What may be done with a planning now. Pure decisions."""

import enum

from supplier_returns.planning.errors import (
    HeldByDocument,
    PlanningClosed,
    PlanningInExecution,
    StaleVersion,
)
from supplier_returns.planning.record import DocumentState, Planning, PlanningLine, PlanningState


class Action(enum.Enum):
    """What a person may do; the value is its name on the wire.

    Only what this service can do is ever offered: an action appears here together with its route.
    """

    EDIT = "editar"
    EXECUTE = "devoluciones"
    REPROCESS = "reprocesar"
    CLOSE = "cerrar"


_OPEN_ENDED = frozenset({DocumentState.RUNNING, DocumentState.UNCERTAIN, DocumentState.IN_APPROVAL})


def actions_of(planning: Planning, *, is_running: bool = False) -> tuple[Action, ...]:
    """Return what may be done now, so that a frontend needs no rules about states.

    Args:
        planning: As recorded.
        is_running: Whether an execution of it runs: then nothing may be done but wait.
    """
    if is_running or planning.state is PlanningState.CLOSED:
        return ()
    states = {document.state for document in planning.documents}
    was_cut_off = planning.state is PlanningState.RUNNING
    may_edit = not was_cut_off and (
        planning.state is PlanningState.PLANNED or any(not is_held(line, planning) for line in planning.lines)
    )
    offered = {
        Action.EDIT: may_edit and planning.state is not PlanningState.DONE,
        Action.EXECUTE: not was_cut_off and DocumentState.PENDING in states,
        Action.REPROCESS: was_cut_off or bool(states & (_OPEN_ENDED | {DocumentState.FAILED})),
        Action.CLOSE: not states & _OPEN_ENDED,
    }
    return tuple(action for action, is_offered in offered.items() if is_offered)


def check_editable(planning: Planning, version: int) -> None:
    """Check that a planning may be changed by somebody who has seen this version.

    Raises:
        PlanningClosed: It is closed.
        PlanningInExecution: It is being executed.
        StaleVersion: It was changed since.
    """
    if planning.state is PlanningState.CLOSED:
        raise PlanningClosed
    if planning.state is PlanningState.RUNNING:
        raise PlanningInExecution
    if planning.version != version:
        raise StaleVersion(planning.version)


def check_header_free(planning: Planning) -> None:
    """Check that no document holds what the header says.

    Raises:
        HeldByDocument: One does.
    """
    if any(document.holds_its_lines for document in planning.documents):
        raise HeldByDocument


def check_line_free(line: PlanningLine, planning: Planning) -> None:
    """Check that no document holds the line.

    Raises:
        HeldByDocument: One does.
    """
    if is_held(line, planning):
        raise HeldByDocument


def is_held(line: PlanningLine, planning: Planning) -> bool:
    """Tell whether a document that is more than a plan holds a part of the line."""
    holding = {document.doc_id for document in planning.documents if document.holds_its_lines}
    return any(allocation.doc_id in holding for allocation in line.allocations)
