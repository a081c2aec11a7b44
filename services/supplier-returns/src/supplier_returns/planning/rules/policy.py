"""What may be done with a planning now. Pure decisions."""

import enum

from supplier_returns.planning.rules.plannings import (
    DocumentState,
    Planning,
    PlanningState,
)
from supplier_returns.planning.rules.standing import OPEN_ENDED, free_lines, is_misstated, without_failed


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
    states = {document.state for document in planning.documents}
    was_cut_off = planning.state is PlanningState.RUNNING
    free = free_lines(without_failed(planning, None))
    may_edit = not was_cut_off and (planning.state is PlanningState.PLANNED or bool(free))
    is_done = planning.state is PlanningState.DONE
    offered = {
        Action.EDIT: may_edit and not is_done,
        Action.ADD_LINES: not was_cut_off and not is_done,
        Action.REPLAN: not was_cut_off and not is_done and bool(free),
        Action.EXECUTE: not was_cut_off and DocumentState.PENDING in states and not planning.header.has_bins,
        Action.REPROCESS: is_misstated(planning) or bool(states & (OPEN_ENDED | {DocumentState.FAILED})),
        Action.CLOSE: not states & OPEN_ENDED,
    }
    return tuple(action for action, is_offered in offered.items() if is_offered)


def state_now(recorded: PlanningState, *, is_running: bool) -> PlanningState:
    """Return the state to show: an execution that has just begun may not be on record yet.

    Args:
        recorded: The planning's state on record.
        is_running: Whether an execution of it runs.
    """
    return PlanningState.RUNNING if is_running and recorded is not PlanningState.CLOSED else recorded


class Refusal(enum.Enum):
    """Why a planning can't be changed now."""

    CLOSED = "closed"
    RUNNING = "running"
    STALE = "stale"


def find_refusal(planning: Planning, version: int) -> Refusal | None:
    """Tell why a planning can't be changed by somebody who has seen this version; None when it can."""
    if planning.state is PlanningState.CLOSED:
        return Refusal.CLOSED
    if planning.state is PlanningState.RUNNING:
        return Refusal.RUNNING
    return None if planning.version == version else Refusal.STALE


def is_header_held(planning: Planning) -> bool:
    """Tell whether a document that is more than a plan holds what the header says."""
    return any(document.holds_its_lines for document in planning.documents)
