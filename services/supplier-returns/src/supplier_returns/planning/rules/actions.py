"""Actions that are possible on a planning, and its state to show. Pure functions."""

import enum

from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState, PlanningState
from supplier_returns.planning.rules.locked_lines import free_lines


class Action(enum.Enum):
    """Action of a user. The value is its API name.

    Each action has a route. Add both together.
    """

    EDIT = "editar"
    ADD_LINES = "lineas"
    REPLAN = "replanificar"
    EXECUTE = "devoluciones"
    REPROCESS = "reprocesar"
    CLOSE = "cerrar"


def actions_of(planning: Planning, *, is_running: bool = False) -> tuple[Action, ...]:
    """Return the possible actions, so that a frontend needs no rules about states.

    Args:
        planning: recorded planning.
        is_running: whether an execution of it runs. No action is possible then.
    """
    if is_running or planning.state is PlanningState.CLOSED:
        return ()
    states = set(planning.document_states.values())
    has_unresolved = bool(planning.unresolved)
    was_interrupted = planning.state is PlanningState.RUNNING
    free = free_lines(planning.without_failed(None))
    is_done = planning.state is PlanningState.DONE
    conditions = {
        Action.EDIT: not was_interrupted and not is_done and bool(free),
        Action.ADD_LINES: not was_interrupted and not is_done,
        Action.REPLAN: not was_interrupted and not is_done and bool(free),
        Action.EXECUTE: not was_interrupted
        and DocumentState.PENDING in states
        and not planning.header.has_bins,
        Action.REPROCESS: planning.is_state_outdated or has_unresolved or DocumentState.FAILED in states,
        Action.CLOSE: not has_unresolved,
    }
    return tuple(action for action, is_allowed in conditions.items() if is_allowed)


def state_now(recorded: PlanningState, *, is_running: bool) -> PlanningState:
    """Return the state to show. A new execution may not be recorded yet.

    Args:
        recorded: recorded state of the planning.
        is_running: whether an execution of it runs.
    """
    return PlanningState.RUNNING if is_running and recorded is not PlanningState.CLOSED else recorded
