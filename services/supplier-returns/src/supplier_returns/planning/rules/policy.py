"""What may be done with a planning now. Pure decisions."""

import enum
from collections.abc import Collection, Container, Iterable, Set
from typing import Final

import attrs

from supplier_returns.planning.rules.model import (
    DocumentState,
    Planning,
    PlanningLine,
    PlanningState,
    SupplierDocument,
)

OPEN_ENDED: Final = frozenset({DocumentState.RUNNING, DocumentState.UNCERTAIN, DocumentState.IN_APPROVAL})
"""Of a document in one of these states nobody knows yet whether it becomes a return."""


def state_of_planning(documents: Iterable[SupplierDocument]) -> PlanningState:
    """Return the state of an open planning by its documents, while none of them is being made.

    A return that was cancelled in the ERP leaves errors, unless another return of the planning exists there.
    """
    states = {document.state for document in documents} - {DocumentState.OMITTED}
    if states & (OPEN_ENDED | {DocumentState.FAILED}):
        return PlanningState.WITH_ERRORS
    if DocumentState.CANCELLED in states and DocumentState.CREATED not in states:
        return PlanningState.WITH_ERRORS
    if not states or DocumentState.PENDING in states:
        return PlanningState.PLANNED
    return PlanningState.DONE


def is_misstated(planning: Planning) -> bool:
    """Tell whether the recorded state is not what the documents mean: cut off, or written over since."""
    return planning.state is not state_of_planning(planning.documents)


def open_ended(documents: Iterable[SupplierDocument]) -> tuple[int, ...]:
    """Name the documents of which nobody knows yet whether they become returns."""
    return tuple(document.doc_id for document in documents if document.state in OPEN_ENDED)


def without_failed(planning: Planning, items: Collection[str] | None) -> Planning:
    """Give up the documents that failed for sure, so that what they hold can be planned otherwise.

    Args:
        planning: As recorded.
        items: Only those that hold something of these items; None for all.
    """
    concerned = {
        part.doc_id
        for line in planning.lines
        if items is None or line.item_code in items
        for part in line.allocations
    }
    documents = tuple(
        attrs.evolve(document, state=DocumentState.OMITTED)
        if document.may_be_given_up and document.doc_id in concerned
        else document
        for document in planning.documents
    )
    return attrs.evolve(planning, documents=documents)


def is_held(line: PlanningLine, planning: Planning) -> bool:
    """Tell whether a document that is more than a plan holds a part of the line."""
    return _touches(line, _holding(planning))


def free_lines(planning: Planning, items: Collection[str] | None = None) -> list[PlanningLine]:
    """Return the lines that may be planned anew: those of which no document holds anything.

    Args:
        planning: As recorded.
        items: Only lines of these items; None for all.
    """
    holding = _holding(planning)
    return [
        line
        for line in planning.lines
        if (items is None or line.item_code in items) and not _touches(line, holding)
    ]


def _holding(planning: Planning) -> Set[int]:
    return {document.doc_id for document in planning.documents if document.holds_its_lines}


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
    states = {document.state for document in planning.documents}
    was_cut_off = planning.state is PlanningState.RUNNING
    free = free_lines(without_failed(planning, None))
    is_done = planning.state is PlanningState.DONE
    offered = {
        Action.EDIT: not was_cut_off and not is_done and bool(free),
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
