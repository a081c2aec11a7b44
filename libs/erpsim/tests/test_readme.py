"""README.md and BEHAVIOUR.md name what there is."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from erpsim.company.switches import Switches
from erpsim.faults.json_form import ACTIONS
from erpsim.seeds import ERP_USERS, WEB_USERS

FOLDER = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "name",
    [*ACTIONS, *(action.__name__ for action in ACTIONS.values()), *ERP_USERS, *WEB_USERS],
)
def test_the_readme_names_every_fault_and_user(name: str) -> None:
    assert f"`{name}`" in (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [field.name for field in attrs.fields(Switches)])
def test_the_behaviour_page_names_every_switch(name: str) -> None:
    assert f"`{name}" in (FOLDER / "BEHAVIOUR.md").read_text(encoding="utf-8")
