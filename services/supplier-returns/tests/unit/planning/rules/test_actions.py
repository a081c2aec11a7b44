"""Actions and shown state of a planning."""

import attrs
import pytest
from plannings import document, line, part, planning

from supplier_returns.planning.model.states import DocumentState, PlanningState
from supplier_returns.planning.rules.actions import Action, actions_of, state_now


@pytest.mark.parametrize("recorded", PlanningState)
def test_a_running_execution_is_shown_before_it_is_recorded(recorded: PlanningState) -> None:
    closed = recorded is PlanningState.CLOSED
    assert state_now(recorded, is_running=False) is recorded
    assert state_now(recorded, is_running=True) is (recorded if closed else PlanningState.RUNNING)


@pytest.mark.parametrize(("has_bins", "is_offered"), [(True, False), (False, True), (None, True)])
def test_a_warehouse_with_bins_has_no_execute_action(has_bins: bool | None, is_offered: bool) -> None:
    planned = planning(line(1, part(2)), documents=(document(1),), header={"has_bins": has_bins})
    others = {Action.EDIT, Action.ADD_LINES, Action.REPLAN, Action.CLOSE}
    assert set(actions_of(planned)) == others | ({Action.EXECUTE} if is_offered else set())


def test_editing_is_not_offered_if_documents_contain_every_line() -> None:
    half = planning(
        line(1, part(1, doc_id=1), part(1, doc_id=2)),
        documents=(document(1, DocumentState.CREATED), document(2)),
    )
    assert set(actions_of(half)) == {Action.ADD_LINES, Action.EXECUTE, Action.CLOSE}
    other = attrs.evolve(half, lines=(*half.lines, line(2, part(1, doc_id=2))))
    assert set(actions_of(other)) == {*actions_of(half), Action.EDIT, Action.REPLAN}
