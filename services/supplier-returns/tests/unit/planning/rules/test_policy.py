"""What is shown of a planning now."""

import pytest

from supplier_returns.planning.rules.plannings import PlanningState
from supplier_returns.planning.rules.policy import state_now


@pytest.mark.parametrize("recorded", PlanningState)
def test_what_runs_is_shown_as_running_before_it_is_on_record(recorded: PlanningState) -> None:
    closed = recorded is PlanningState.CLOSED
    assert state_now(recorded, is_running=False) is recorded
    assert state_now(recorded, is_running=True) is (recorded if closed else PlanningState.RUNNING)
