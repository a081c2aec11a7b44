"""`queries list|install`, against the simulated ERP."""

import argparse
import asyncio
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands
from erp_gateway.commands.queries import run_queries_command
from erp_gateway.settings.root import load_settings
from erpsim.faults import Drop, Fault, Refuse, When
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import SystemClock

MODULE = "stored_queries_to_install"
EXTENSION = """
from erp_gateway.extensions import Extension, StoredQuery

EXTENSION = Extension(stored_queries=(
    StoredQuery(name="names", title="Nombres", code="GW_Names", version=2, sql="SELECT ItemName FROM OITM"),
    StoredQuery(name="wrong", title="Mala", code="GW_Wrong", version=1, sql={wrong!r}),
))
"""
RIGHT = "SELECT CardName FROM OCRD"


@pytest.fixture
def write_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    monkeypatch.syspath_prepend(tmp_path)

    def write(wrong: str) -> None:
        sys.modules.pop(MODULE, None)
        tmp_path.joinpath(f"{MODULE}.py").write_text(EXTENSION.format(wrong=wrong), encoding="utf-8")

    yield write
    sys.modules.pop(MODULE, None)


async def run(sim: Simulator, store: Path, *words: str, extensions: str = MODULE) -> tuple[int, str, str]:
    settings = load_settings(
        {
            "CONFIG_FILE": os.devnull,
            "ENVIRONMENT": "test",
            "ERP_SL_URL": sim.url,
            "ERP_SL_COMPANY_DB": "SBO_DEMO",
            "ERP_SL_USER": "manager",
            "ERP_SL_PASSWORD": "erpsim",
            "SQLITE_PATH": str(store),
            "EXTENSIONS": extensions,
        }
    )
    parser = argparse.ArgumentParser(prog="erp-gateway")
    add_commands(parser.add_subparsers(dest="command", required=True))
    parsed = parser.parse_args(["queries", *words])
    out, err = io.StringIO(), io.StringIO()
    context = CommandContext(
        store=store,
        timezone=ZoneInfo("America/Santiago"),
        clock=SystemClock(),
        out=out,
        err=err,
        environ={},
    )
    code = await asyncio.to_thread(run_queries_command, parsed, settings, context)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.asyncio
async def test_missing_queries_are_installed_once(
    write_extension: Callable[[str], None], tmp_path: Path
) -> None:
    write_extension(RIGHT)
    async with run_sim() as sim:
        code, out, _ = await run(sim, tmp_path / "a", "list")
        assert (code, out.splitlines()[0]) == (1, "names\tGW_Names v2\tmissing")
        code, out, _ = await run(sim, tmp_path / "a", "install", "--dry-run")
        assert (code, out.splitlines()[0]) == (0, "names\tGW_Names v2\twould be installed")
        assert sim.calls.of("POST", "SQLQueries") == []
        code, out, err = await run(sim, tmp_path / "a", "install")
        assert (code, out.splitlines()[0], err) == (0, "names\tGW_Names v2\tinstalled", "")
        code, out, _ = await run(sim, tmp_path / "a", "install")
        assert (code, out.splitlines()[0]) == (0, "names\tGW_Names v2\tcurrent")
        assert len(sim.calls.of("POST", "SQLQueries")) == 2


@pytest.mark.asyncio
async def test_an_older_version_is_replaced_and_a_newer_one_kept(
    write_extension: Callable[[str], None], tmp_path: Path
) -> None:
    write_extension(RIGHT)
    async with run_sim() as sim:
        await run(sim, tmp_path / "a", "install")
        for stated, outcome in (("GW_Names v1", "installed"), ("GW_Names v3", "newer")):
            with sim.world.transaction():
                row = sim.world.company.find("SQLQueries", "GW_Names")
                assert row is not None
                sim.world.company.update("SQLQueries", {**row, "SqlName": stated})
            _, out, _ = await run(sim, tmp_path / "a", "install")
            assert out.splitlines()[0] == f"names\tGW_Names v2\t{outcome}"


@pytest.mark.asyncio
async def test_a_refused_text_is_named_and_the_others_are_installed(
    write_extension: Callable[[str], None], tmp_path: Path
) -> None:
    write_extension("SELECT LENGTH(CardName) AS Largo FROM OCRD")
    async with run_sim() as sim:
        code, out, err = await run(sim, tmp_path / "a", "install")
        assert code == 1
        assert out == "names\tGW_Names v2\tinstalled\n"
        assert "GW_Wrong" in err
        assert "the ERP saved nothing" in err


@pytest.mark.asyncio
async def test_a_user_without_the_right_is_told_its_name(
    write_extension: Callable[[str], None], tmp_path: Path
) -> None:
    write_extension(RIGHT)
    async with run_sim() as sim:
        refusal = Refuse(status=403, code=-6006, text="You are not permitted to perform this action")
        sim.faults.add(Fault(action=refusal, method="POST", path="SQLQueries", times=None))
        code, _, err = await run(sim, tmp_path / "a", "install")
        assert code == 1
        assert "Modify SQL Queries in Service Layer" in err


@pytest.mark.asyncio
async def test_a_lost_answer_is_no_claim_that_nothing_was_saved(
    write_extension: Callable[[str], None], tmp_path: Path
) -> None:
    write_extension(RIGHT)
    async with run_sim() as sim:
        sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="SQLQueries"))
        code, _, err = await run(sim, tmp_path / "a", "install")
        assert (code, "may have saved" in err) == (1, True)


@pytest.mark.asyncio
async def test_without_declared_queries_the_erp_is_not_called(tmp_path: Path) -> None:
    async with run_sim() as sim:
        code, out, _ = await run(sim, tmp_path / "a", "list", extensions="")
        assert (code, out, len(sim.calls)) == (0, "no stored queries are declared\n", 0)
