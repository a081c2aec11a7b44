"""Being like another ERP that was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from erpsim.process.likeness import Likeness, imitate
from erpsim.process.settings import SettingsError, read_settings
from erpsim.simulator import open_company

FIELD = {
    "table": "OITM",
    "name": "Nota",
    "type": "db_Alpha",
    "subType": "st_None",
    "size": 20,
    "editSize": 20,
    "mandatory": False,
    "validValues": 2,
}


def recorded(folder: Path, **members: Any) -> Path:
    file = folder / "record"
    file.write_text(json.dumps({"record": 1, **members}), encoding="utf-8")
    return file


def problem(*arguments: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read_settings(arguments, {})
    (line,) = caught.value.problems
    return line


def test_switches_of_a_record_count_unless_others_are_asked_for(tmp_path: Path) -> None:
    switches = {"version": "1000111", "other_habits": "no-ping", "login_delay_s": "0.5"}
    file = recorded(tmp_path, switches=switches, notImitated=["the answer to x"])
    settings = read_settings(
        ["--like", str(file), "--switch", "login_delay_s=0"], {"ERPSIM_VERSION": "1000222"}
    )
    assert (settings.switches.version, settings.switches.login_delay_s) == ("1000222", 0.0)
    assert {habit.value for habit in settings.switches.other_habits} == {"no-ping"}
    assert settings.like is not None
    assert settings.like.unlike == ["the answer to x"]


def test_a_record_that_can_not_be_used_is_named(tmp_path: Path) -> None:
    assert problem("--like", str(tmp_path / "none")) == f"{tmp_path / 'none'}: No such file or directory"
    odd = tmp_path / "odd"
    odd.write_text("{", encoding="utf-8")
    assert problem("--like", str(odd)) == f"{odd}: no JSON"
    odd.write_text('{"record": 2}', encoding="utf-8")
    assert problem("--like", str(odd)) == f"{odd}: no record of form 1"
    file = recorded(tmp_path, switches={"page_size": "many"})
    assert problem("--like", str(file)) == "switches.page_size in the record: 'many' is not a whole number"


def test_what_can_not_be_made_is_told(tmp_path: Path) -> None:
    world = open_company(seed="returns", user_fields=False).world
    numbered = {"name": "CUENTA", "type": "bott_NoObjectAutoIncrement"}
    unlike = list(imitate(world, Likeness(switches={}, tables=[numbered], fields=[FIELD])))
    assert unlike[0].startswith("the user table CUENTA: erpsim does not simulate")
    assert unlike[1:] == ["the valid values of the user field Nota: there are as many, with other names"]
    assert [(row["TableName"], row["Name"]) for row in world.company.rows("UserFieldsMD")] == [
        ("OITM", "Nota")
    ]


def test_a_company_without_the_fields_of_web_login_refuses_them() -> None:
    company = open_company(seed="small", user_fields=False)
    assert "U_WEB_USER" not in company.world.company.row_type("EmployeesInfo").type.properties
