"""`erp-gateway doctor --record FILE`: one session, reads alone, a file of its own that holds no value."""

import asyncio
import io
import json
import os
import stat
from pathlib import Path

import pytest

from erp_gateway.__main__ import main
from erp_gateway.commands.conformance import suite_of
from erp_gateway.extensions import ExtensionError
from erp_gateway.settings.root import load_settings
from erpdoctor.recording.recorder import record_into
from erpsim.simulator import Simulator, run_sim


def environment(url: str, **further: str) -> dict[str, str]:
    return {
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": "test",
        "ERP_SL_URL": url,
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": "erpsim",
        **further,
    }


async def run(sim: Simulator, file: Path, **further: str) -> tuple[int, str]:
    err = io.StringIO()
    suite = suite_of(load_settings(environment(sim.url, **further)))
    code = await asyncio.to_thread(record_into, file, suite, faults=(ExtensionError,), err=err)
    return code, err.getvalue()


@pytest.mark.asyncio
async def test_a_record_is_made_by_reads_of_one_session(tmp_path: Path) -> None:
    file = tmp_path / "record"
    async with run_sim(seed="small") as sim:
        assert (await run(sim, file))[0] == 0
        assert len(sim.calls.of("POST", "Login")) == 1
        services = {c.path for c in sim.calls if c.method != "GET" and c.path not in ("Login", "Logout")}
        # Services that change nothing, asked by POST.
        assert services == {
            "CompanyService_GetCompanyInfo",
            "SBOBobService_GetLocalCurrency",
            "SeriesService_GetDocumentSeries",
            "SeriesService_GetDefaultSeries",
        }
        assert sim.calls.max_in_flight == 1
        assert sim.calls.total <= 150
        whole = [c for c in sim.calls if c.path in ("EmployeesInfo", "Users") and "select" not in c.query]
        assert whole == []
    told = json.loads(file.read_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert told["entitySets"]["EmployeesInfo"]["status"] == "200"
    assert told["entitySets"]["Orders"]["key"] == ["DocEntry"]
    for canary in ("127.0.0.1", "SBO_DEMO", "erpsim", "Comercial", "ana-demo"):
        assert canary not in file.read_text()


@pytest.mark.asyncio
async def test_a_file_that_is_there_is_left_alone_and_nothing_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "record"
    file.write_text("mine", encoding="utf-8")
    async with run_sim(seed="small") as sim:
        code, err = await run(sim, file)
        assert (code, sim.calls.total, file.read_text()) == (2, 0, "mine")
        assert "no se sobrescribe" in err


@pytest.mark.asyncio
async def test_a_refused_login_and_an_erp_that_is_away_are_named(tmp_path: Path) -> None:
    file = tmp_path / "record"
    async with run_sim(seed="small") as sim:
        code, err = await run(sim, file, ERP_SL_PASSWORD="canary-8c2")
        assert (code, file.exists()) == (2, False)
        assert "El ERP rechazó el inicio de sesión" in err
        assert "canary-8c2" not in err
    code, err = await run(sim, file)
    assert (code, file.exists()) == (2, False)
    assert err.startswith("No se pudo registrar: ")


def test_the_command_line_knows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "record"
    file.write_text("mine", encoding="utf-8")
    for name, value in environment("http://192.0.2.1/b1s/v1").items():
        monkeypatch.setenv(name, value)
    assert main(["doctor", "--record", str(file)]) == 2
    assert "ya existe" in capsys.readouterr().err
