"""`metadata rebuild` from a terminal: simulates, confirms the company, prints no password."""

import argparse
import io
import os
from pathlib import Path

import pytest

from erpsim.simulator import Simulator, run_sim
from supplier_returns.commands.rebuild import add_metadata_arguments, rebuild
from supplier_returns.settings.root import load_settings

pytestmark = pytest.mark.asyncio

PASSWORD = "erpsim"


async def run(
    sim: Simulator, *words: str, typed: str = "", password: str = PASSWORD, lang: str = "en_US.UTF-8"
) -> tuple[int, str, str, list[str]]:
    """Run the command like a user. Return exit code, standard output, standard error, and the prompts."""
    parser = argparse.ArgumentParser()
    add_metadata_arguments(parser)
    environ = {
        "CONFIG_FILE": os.devnull,
        "SL_URL": sim.url,
        "SL_COMPANY_DB": "SBO_DEMO",
        "DB_TYPE": "HANA",
        "LANG": lang,
    }
    out, err, prompts = io.StringIO(), io.StringIO(), []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return typed

    def ask_secret(prompt: str) -> str:
        prompts.append(prompt)
        return password

    settings = load_settings(environ)
    parsed = parser.parse_args(["rebuild", *words])
    code = await rebuild(parsed, settings, environ, out=out, err=err, ask=ask, ask_secret=ask_secret)
    assert password not in out.getvalue() + err.getvalue()
    return code, out.getvalue(), err.getvalue(), prompts


def written(sim: Simulator) -> list[str]:
    return [call.path for call in sim.calls if call.method != "GET" and call.path not in ("Login", "Logout")]


async def test_a_dry_run_lists_the_steps_and_changes_nothing() -> None:
    async with run_sim() as sim:
        code, out, _, prompts = await run(sim, "--dry-run", "--user", "manager")
        assert written(sim) == []
        assert len(sim.calls.of("POST", "Logout")) == 1
    assert code == 0
    assert prompts == ["Clave: "]
    assert "Would create or change: tabla @LIB_ODEV, " in out
    assert out.endswith("This was a simulation; nothing was changed.\n")


async def test_the_rebuild_confirms_the_company_and_runs_every_step() -> None:
    async with run_sim() as sim:
        code, out, err, prompts = await run(sim, "--user", "manager", typed="SBO_DEMO")
        assert code == 0, out + err
        assert "the database of SBO_DEMO" in prompts[0]
        assert "created: tabla @LIB_ODEV\n" in err
        assert ", 0 errors" in out
        before = len(written(sim))
        code, out, _, _ = await run(sim, "--user", "manager", "--company", "SBO_DEMO", lang="es_CL.UTF-8")
        assert (code, out.startswith("0 creados, 0 actualizados, ")) == (0, True)
        again = written(sim)[before:]
    assert not [path for path in again if path.startswith("User")], "nothing is created twice"


@pytest.mark.parametrize("typed", ["", "sbo_demo", "OTHER"])
async def test_another_company_name_stops_the_rebuild_before_any_call(typed: str) -> None:
    async with run_sim() as sim:
        code, out, err, _ = await run(sim, "--user", "manager", typed=typed)
        assert list(sim.calls) == []
    assert (code, out, err) == (2, "", "error: The name differs from the company; nothing was changed.\n")


async def test_a_wrong_password_is_tried_once() -> None:
    async with run_sim() as sim:
        code, _, err, _ = await run(sim, "--dry-run", "--user", "manager", password="wrong-5e1f")
        assert len(sim.calls.of("POST", "Login")) == 1
    assert code == 2
    assert err.startswith("error: ")


async def test_a_normal_user_gets_the_missing_right_in_the_error() -> None:
    async with run_sim() as sim:
        code, _, err, _ = await run(sim, "--user", "bodega", "--company", "SBO_DEMO")
        assert len([path for path in written(sim) if path.startswith("User")]) == 1, (
            "refused, and not repeated"
        )
    assert code == 2
    assert "Superusuario" in err


async def test_the_password_can_be_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    async with run_sim() as sim:
        file = str(tmp_path / "password")
        code, _, _, prompts = await run(sim, "--dry-run", "--user", "manager", "--password-file", file)
        assert (code, prompts) == (0, [])
        code, _, err, _ = await run(sim, "--dry-run", "--user", "manager", "--password-file", f"{file}x")
    assert (code, err.startswith("error: The password can't be read: ")) == (2, True)


async def test_an_unreachable_erp_is_a_one_line_error() -> None:
    async with run_sim() as sim:
        pass
    code, out, err, _ = await run(sim, "--dry-run", "--user", "manager")
    assert (code, out, err.count("\n")) == (2, "", 1)
