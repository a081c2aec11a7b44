"""What may be done with a planning now. Pure decisions."""

import enum

from supplier_returns.planning.errors import (
    HeldByDocument,
    PlanningClosed,
    PlanningInExecution,
    StaleVersion,
)
from supplier_returns.planning.record import (
    DocumentState,
    Planning,
    PlanningLine,
    PlanningState,
)
from supplier_returns.planning.standing import OPEN_ENDED, is_held, without_failed


class Action(enum.Enum):
    """What a person may do; the value is its name on the wire.

    Only what this service can do is ever offered: an action appears here together with its route.
    """

    EDIT = "editar"
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
    states = {document.state for document in planning.documents}
    was_cut_off = planning.state is PlanningState.RUNNING
    freed = without_failed(planning, None)
    may_edit = not was_cut_off and (
        planning.state is PlanningState.PLANNED or any(not is_held(line, freed) for line in planning.lines)
    )
    offered = {
        Action.EDIT: may_edit and planning.state is not PlanningState.DONE,
        Action.EXECUTE: not was_cut_off and DocumentState.PENDING in states,
        Action.REPROCESS: was_cut_off or bool(states & (OPEN_ENDED | {DocumentState.FAILED})),
        Action.CLOSE: not states & OPEN_ENDED,
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
