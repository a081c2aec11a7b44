"""The README names what there is."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from erpsim.company.habits import OtherHabit
from erpsim.company.switches import Switches
from erpsim.faults.json_form import ACTIONS
from erpsim.process.options import OPTIONS
from erpsim.seeds import ERP_USERS, WEB_USERS

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.parametrize(
    "name",
    [
        *(option.flag for option in OPTIONS),
        *(field.name for field in attrs.fields(Switches)),
        *(habit.value for habit in OtherHabit),
        *ACTIONS,
        *(action.__name__ for action in ACTIONS.values()),
        *ERP_USERS,
        *WEB_USERS,
    ],
)
def test_the_readme_names_every_option_switch_fault_and_user(name: str) -> None:
    assert f"`{name}" in README.read_text(encoding="utf-8")
