"""`supplier-returns doctor --record FILE`: one session, reads alone, a file of its own without any value."""

import argparse
import asyncio
import io
import json
import os
import stat
from pathlib import Path

import pytest
from ready_company import company

from erpdoctor.recording.recorder import record_into
from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.process.likeness import read_likeness
from erpsim.simulator import Simulator
from supplier_returns.__main__ import main
from supplier_returns.conformance.command import ENTITY_SETS, suite_of
from supplier_returns.doctor.command import add_doctor_arguments
from supplier_returns.settings import load_settings

CANARY = "CANARY"
READING = {
    "CompanyService_GetAdminInfo",
    "CompanyService_GetCompanyInfo",
    "SeriesService_GetDocumentSeries",
}
"""Services that change nothing, asked by POST."""


def environment(url: str) -> dict[str, str]:
    return {
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": "test",
        "SL_URL": url,
        "SL_COMPANY_DB": "CANARY_DB",
        "DB_TYPE": "HANA",
    }


async def run(url: str, file: Path, *further: str, secret: str = "erpsim") -> tuple[int, str]:
    parser = argparse.ArgumentParser()
    add_doctor_arguments(parser)
    parsed = parser.parse_args(["--record", str(file), *further])
    err = io.StringIO()
    code = await asyncio.to_thread(
        record_into,
        file,
        suite_of(
            parsed, load_settings(environment(url)), ask=lambda _: "manager", ask_secret=lambda _: secret
        ),
        err=err,
    )
    return code, err.getvalue()


def plant_canaries(sim: Simulator) -> None:
    desk = Desk(sim.world)
    provider = {"U_Url": "https://CANARY.example", "U_Usuario": "CANARY-dte", "U_Clave": "CANARY-7a1"}
    desk.change("U_DTE_CONFC", "1", provider)
    for entity_set, name in (("BusinessPartners", "CardName"), ("Items", "ItemName")):
        for record in desk.rows(entity_set)[:20]:
            desk.change(entity_set, str(record[name.replace("Name", "Code")]), {name: "CANARY SpA"})


@pytest.mark.asyncio
async def test_a_record_is_made_by_reads_of_one_session_and_holds_no_value(tmp_path: Path) -> None:
    file = tmp_path / "record"
    async with company(Switches(company="CANARY_DB", company_name="CANARY SpA")) as sim:
        plant_canaries(sim)
        sim.calls.clear()
        code, err = await run(sim.url, file)
        assert code == 0, err
        assert len(sim.calls.of("POST", "Login")) == len(sim.calls.of("POST", "Logout")) == 1
        assert sim.calls.max_in_flight == 1
        assert sim.calls.total <= 150
        posted = {call.path for call in sim.calls if call.method != "GET"} - {"Login", "Logout"}
        assert {path for path in posted if not path.endswith("/List")} == READING
    text = file.read_text("utf-8")
    told = json.loads(text)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert set(told["entitySets"]) == set(ENTITY_SETS)
    assert told["answers"]["object-by-its-code"] == "200"
    assert {"LIB_DEV1", "LIB_CLAVE"} <= {table["name"] for table in told["userTables"]}
    for canary in (CANARY, "127.0.0.1", "manager", "erpsim", "bodega"):
        assert canary not in text, canary
    assert read_likeness(file).fields


@pytest.mark.asyncio
async def test_a_file_that_is_there_is_left_alone_and_nothing_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "record"
    file.write_text("mine", "utf-8")
    code, err = await run("http://127.0.0.1:1/b1s/v1", file)
    assert (code, file.read_text("utf-8")) == (2, "mine")
    assert "no se sobrescribe" in err


@pytest.mark.asyncio
async def test_a_refused_login_an_erp_that_is_away_and_a_password_that_is_not_there_are_named(
    tmp_path: Path,
) -> None:
    file = tmp_path / "record"
    async with company(Switches(company="CANARY_DB")) as sim:
        sim.calls.clear()
        code, err = await run(sim.url, file, "--user", "manager", secret="canary-8c2")
        assert len(sim.calls.of("POST", "Login")) == 1
    assert (code, file.exists()) == (2, False)
    assert "El ERP rechazó el inicio de sesión" in err
    assert "canary-8c2" not in err
    for further in ((), ("--password-file", str(tmp_path / "none"))):
        code, err = await run("http://127.0.0.1:1/b1s/v1", file, *further)
        assert (code, file.exists()) == (2, False)
        assert err.startswith("No se pudo registrar: ")


def test_the_command_line_knows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "record"
    file.write_text("mine", "utf-8")
    for name, value in environment("http://192.0.2.1/b1s/v1").items():
        monkeypatch.setenv(name, value)
    assert main(["doctor", "--record", str(file)]) == 2
    assert "ya existe" in capsys.readouterr().err
