"""`supplier-returns conformance` with the simulated ERP, whose company has the metadata of the returns."""

import argparse
import asyncio
import io
import json
import os
import re
from pathlib import Path

import attrs
import pytest
from ready_company import company, rebuild

from erpdoctor.conformance.arguments import add_question_arguments
from erpdoctor.conformance.command import run_and_print_questions
from erpsim.company.switches import Switches
from erpsim.faults import Fault, Refuse
from erpsim.process.options import switch_reader
from erpsim.simulator import Simulator, run_sim
from supplier_returns.__main__ import main
from supplier_returns.conformance.command import suite_of
from supplier_returns.conformance.questions import OWN_QUESTIONS, QUESTIONS
from supplier_returns.settings.root import load_settings

pytestmark = pytest.mark.check

ASKED = [question for question in OWN_QUESTIONS if question.probe is not None]
TURNED = sorted({turned for question in ASKED for turned in question.switches})
MADE_WITH = {
    "metadata_visible=after-restart",
    "other_habits=stored-query-name-lost",
    "other_habits=stored-query-parameters-unlisted",
}
"""Switches that count when the metadata are made."""

WRITING = ("--write", "--company", "SBO_DEMO")


async def run(
    sim: Simulator, *words: str, typed: str = "SBO_DEMO", secret: str = "erpsim", version: str = "v1"
) -> tuple[int, str, str]:
    parser = argparse.ArgumentParser()
    add_question_arguments(parser, credentials=True)
    environ = {
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": "test",
        "SL_URL": sim.url if version == "v1" else sim.url_v2,
        "SL_COMPANY_DB": "SBO_DEMO",
        "DB_TYPE": "HANA",
    }
    out, err = io.StringIO(), io.StringIO()
    parsed = parser.parse_args(words)
    code = await asyncio.to_thread(
        run_and_print_questions,
        parsed,
        suite_of(parsed, load_settings(environ), ask=lambda _: typed, ask_secret=lambda _: secret),
        out=out,
        err=err,
        ask=lambda _: typed,
    )
    return code, out.getvalue(), err.getvalue()


def turn(text: str) -> Switches:
    name, _, value = text.partition("=")
    return attrs.evolve(Switches(), **{name: switch_reader(name)(value)})


def found_in(out: str) -> dict[str, dict[str, str]]:
    return {each["name"]: each for each in json.loads(out)["questions"]}


def differing(out: str) -> set[str]:
    return {name for name, each in found_in(out).items() if each["verdict"] == "differs"}


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.asyncio
async def test_the_simulated_erp_answers_every_question_as_expected(version: str) -> None:
    async with company() as sim:
        code, out, err = await run(sim, "--json", *WRITING, "--user", "manager", version=version)
        found = found_in(out)
        odd = {n: (e["expected"], e["seen"]) for n, e in found.items() if e["verdict"] == "differs"}
        assert odd == {}
        assert {q.name for q in ASKED if found[q.name]["verdict"] != "as_expected"} == set()
        assert code == 0, err
        assert len(sim.calls.of("POST", "Login")) == 1
        assert sim.calls.total <= 200


@pytest.mark.parametrize("turned", TURNED)
@pytest.mark.asyncio
async def test_each_switch_changes_only_its_own_questions(turned: str) -> None:
    async with (
        company(turn(turned))
        if turned not in MADE_WITH
        else run_sim(switches=turn(turned), seed="returns") as sim
    ):
        if turned in MADE_WITH:
            await rebuild(sim, planned=False)
        only = [word for question in ASKED for word in ("--only", question.name)]
        _, out, _ = await run(sim, "--json", *WRITING, *only, "--user", "manager")
        assert differing(out) == {question.name for question in ASKED if turned in question.switches}


@pytest.mark.asyncio
async def test_trial_records_are_removed() -> None:
    async with company() as sim:
        trials = ("user-table-key-once", "user-rows-roll-back", "our-queries-are-accepted")
        only = [word for name in trials for word in ("--only", name)]
        code, out, _ = await run(sim, *WRITING, *only, "--user", "manager")
        assert code == 0
        assert "Queda en el ERP" not in out
        assert [row for row in sim.world.company.rows("U_LIB_CLAVE") if "CONF" in str(row["Code"])] == []
        assert [row for row in sim.world.company.rows("SQLQueries") if "CONF" in str(row["SqlCode"])] == []


@pytest.mark.asyncio
async def test_trial_records_that_cannot_be_removed_are_reported() -> None:
    async with company() as sim:
        sim.faults.add(Fault(action=Refuse(status=400, code=-5006, text="no"), method="DELETE", path="*"))
        _, out, _ = await run(sim, *WRITING, "--only", "user-table-key-once", "--user", "manager")
        assert "U_LIB_CLAVE('CONF-" in out
        assert "stays: remove it by hand" in out


@pytest.mark.asyncio
async def test_without_the_metadata_its_questions_are_skipped() -> None:
    async with run_sim(seed="returns") as sim:
        code, out, _ = await run(sim, "--json", *WRITING, "--user", "manager")
        found = found_in(out)
        assert (code, differing(out)) == (0, set())
        assert found["object-by-its-code"]["reason"] == "LIB_ODEV is not defined; rebuild the metadata first"
        assert found["stored-query-paging"]["reason"] == "DP_Stock is not stored; rebuild the metadata first"
        assert found["user-rows-roll-back"]["verdict"] == "skipped"


@pytest.mark.asyncio
async def test_a_company_without_data_leaves_questions_unanswered_and_none_wrong() -> None:
    async with run_sim(seed="empty") as sim:
        code, out, _ = await run(sim, "--json", "--user", "manager")
        assert (code, differing(out)) == (0, set())


@pytest.mark.asyncio
async def test_user_and_password_are_typed_or_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("erpsim\n", encoding="utf-8")
    async with run_sim(seed="returns") as sim:
        only = ("--only", "decimals-in-admin-info")
        assert (await run(sim, *only, typed="manager"))[0] == 0
        read = await run(sim, *only, "--user", "manager", "--password-file", str(file), secret="wrong")
        assert read[0] == 0
        code, out, err = await run(sim, *only, "--user", "manager", "--password-file", str(tmp_path / "none"))
        assert (code, out) == (2, "")
        assert err.startswith("No se pudo leer la clave: ")


@pytest.mark.asyncio
async def test_a_refused_login_is_reported_and_not_retried() -> None:
    async with run_sim(seed="returns") as sim:
        code, out, err = await run(sim, "--user", "manager", secret="canary-4d1")
        assert (code, out, sim.calls.total) == (2, "", 1)
        assert "El ERP rechazó el inicio de sesión" in err
        assert "canary-4d1" not in err


@pytest.mark.asyncio
async def test_nothing_is_written_to_another_company() -> None:
    async with run_sim(seed="returns") as sim:
        code, _, err = await run(sim, "--write", "--company", "OTHER", "--user", "manager")
        assert (code, sim.calls.total) == (2, 0)
        assert "no es la empresa configurada" in err


@pytest.mark.parametrize("turned", sorted({t for q in OWN_QUESTIONS if q.probe is None for t in q.switches}))
def test_switches_of_untested_questions_exist(turned: str) -> None:
    assert turn(turned) != Switches()


def test_every_question_has_all_texts_of_the_docs() -> None:
    names = [question.name for question in QUESTIONS]
    assert len(names) == len(set(names))
    for question in OWN_QUESTIONS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", question.name)
        assert question.asks.endswith("?")
        assert (question.probe is None) == bool(question.unasked)


def test_the_command_line_has_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needed = {"SL_URL": "http://192.0.2.1/b1s/v1", "SL_COMPANY_DB": "C", "DB_TYPE": "HANA"}
    for name, value in {**needed, "CONFIG_FILE": os.devnull}.items():
        monkeypatch.setenv(name, value)
    assert main(["conformance", "--only", "no-such"]) == 2
    assert "No hay tal pregunta: no-such" in capsys.readouterr().err
