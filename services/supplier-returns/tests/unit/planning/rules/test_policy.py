"""What is shown of a planning now."""

import attrs
import pytest
from plannings import document, line, part, planning

from supplier_returns.planning.model.states import DocumentState, PlanningState
from supplier_returns.planning.rules.policy import Action, actions_of, state_now


@pytest.mark.parametrize("recorded", PlanningState)
def test_what_runs_is_shown_as_running_before_it_is_on_record(recorded: PlanningState) -> None:
    closed = recorded is PlanningState.CLOSED
    assert state_now(recorded, is_running=False) is recorded
    assert state_now(recorded, is_running=True) is (recorded if closed else PlanningState.RUNNING)


@pytest.mark.parametrize(("has_bins", "is_offered"), [(True, False), (False, True), (None, True)])
def test_what_lies_in_bins_is_not_offered_for_execution(has_bins: bool | None, is_offered: bool) -> None:
    planned = planning(line(1, part(2)), documents=(document(1),), header={"has_bins": has_bins})
    others = {Action.EDIT, Action.ADD_LINES, Action.REPLAN, Action.CLOSE}
    assert set(actions_of(planned)) == others | ({Action.EXECUTE} if is_offered else set())


def test_nothing_is_offered_to_be_edited_where_documents_hold_every_line() -> None:
    half = planning(
        line(1, part(1, doc_id=1), part(1, doc_id=2)),
        documents=(document(1, DocumentState.CREATED), document(2)),
    )
    assert set(actions_of(half)) == {Action.ADD_LINES, Action.EXECUTE, Action.CLOSE}
    other = attrs.evolve(half, lines=(*half.lines, line(2, part(1, doc_id=2))))
    assert set(actions_of(other)) == {*actions_of(half), Action.EDIT, Action.REPLAN}
