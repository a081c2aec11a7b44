"""`erp-gateway conformance` against the simulated ERP: reads unless told otherwise, one login, words."""

import argparse
import asyncio
import io
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
from typing_extensions import override

from erp_gateway.__main__ import main
from erp_gateway.commands.conformance import suite_of
from erp_gateway.doctor.conformance.questions import OWN_QUESTIONS, QUESTIONS
from erp_gateway.settings.root import load_settings
from erpdoctor.conformance.arguments import add_question_arguments
from erpdoctor.conformance.command import run_and_print_questions
from erpsim.company.switches import Switches
from erpsim.faults import Answer, Drop, Fault, When
from erpsim.process.options import switch_reader
from erpsim.simulator import Simulator, run_sim

ASKED = [question for question in OWN_QUESTIONS if question.probe is not None and not question.writes]
WRITING = [question for question in OWN_QUESTIONS if question.writes]
TURNED = sorted({turned for question in ASKED for turned in question.switches})


async def run(
    sim: Simulator,
    *words: str,
    typed: str = "",
    version: str = "v1",
    err: io.StringIO | None = None,
    environment: str = "test",
    **further: str,
) -> tuple[int, str, str]:
    """Run the command; return its exit code and what it printed to either side."""
    parser = argparse.ArgumentParser()
    add_question_arguments(parser, credentials=False)
    environ = {
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": environment,
        "ERP_SL_URL": sim.url if version == "v1" else sim.url_v2,
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": "erpsim",
        **further,
    }
    out, err = io.StringIO(), err or io.StringIO()
    code = await asyncio.to_thread(
        run_and_print_questions,
        parser.parse_args(words),
        suite_of(load_settings(environ)),
        out=out,
        err=err,
        ask=lambda _: typed,
    )
    return code, out.getvalue(), err.getvalue()


def turn(text: str) -> Switches:
    name, _, value = text.partition("=")
    return attrs.evolve(Switches(), **{name: switch_reader(name)(value)})


def only(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("--only", name)]


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.asyncio
async def test_the_simulated_erp_does_all_that_the_gateway_counts_on(version: str) -> None:
    async with run_sim() as sim:
        code, out, _ = await run(sim, "--json", version=version)
        report = json.loads(out)
        found = {each["name"]: each for each in report["questions"]}
        assert [each for each in report["questions"] if each["verdict"] == "differs"] == []
        assert (code, report["counts"]["unanswered"], report["stays"]) == (0, 0, 0)
        assert all(found[question.name]["verdict"] == "as_expected" for question in ASKED)
        assert len(sim.calls.of("POST", "Login")) == 1
        whole = [c for c in sim.calls if c.path in ("BusinessPartners", "EmployeesInfo")]
        assert all("select" in call.query for call in whole), "their records hold passwords"
        assert sim.calls.total <= 150
        assert report["calls"] + 1 == sim.calls.total  # the logout follows
        assert sim.calls.max_in_flight == 1


@pytest.mark.parametrize("turned", TURNED)
@pytest.mark.asyncio
async def test_a_switch_makes_exactly_the_gateways_own_questions_differ(turned: str) -> None:
    async with run_sim(switches=turn(turned)) as sim:
        code, out, _ = await run(sim, "--json", *only([question.name for question in ASKED]))
        differing = {each["name"] for each in json.loads(out)["questions"] if each["verdict"] == "differs"}
        assert differing == {question.name for question in ASKED if turned in question.switches}
        assert code == 1


@pytest.mark.parametrize("turned", ["", *sorted({each for q in WRITING for each in q.switches})])
@pytest.mark.asyncio
async def test_writing_too_a_switch_makes_exactly_its_questions_differ(turned: str) -> None:
    async with run_sim(switches=turn(turned) if turned else None) as sim:
        requested = only([question.name for question in WRITING])
        words = ("--write", "--company", "SBO_DEMO", "--json", *requested)
        _, out, _ = await run(sim, *words, typed="SBO_DEMO")
        report = json.loads(out)
        verdicts = {each["name"]: each["verdict"] for each in report["questions"]}
        assert verdicts == {q.name: "differs" if turned in q.switches else "as_expected" for q in WRITING}
        trials = [
            row
            for row in sim.world.company.rows("Quotations")
            if str(row.get("Comments")).startswith("conformance trial")
        ]
        assert report["stays"] == len(list(sim.world.company.rows("Attachments2"))) + len(trials)
        assert all(row["Cancelled"] == "tYES" for row in trials)


@pytest.mark.asyncio
async def test_further_file_questions_are_skipped_if_the_erp_takes_no_files() -> None:
    async with run_sim(switches=turn("attachments_mounted=false")) as sim:
        requested = only([question.name for question in WRITING if question.name.startswith("file-")])
        words = ("--write", "--company", "SBO_DEMO", "--json", *requested)
        code, out, _ = await run(sim, *words, typed="SBO_DEMO")
        assert code == 0
        reasons = {each["reason"] for each in json.loads(out)["questions"]}
        assert reasons == {"adding a file is refused: 400/-10"}


@pytest.mark.asyncio
async def test_the_table_is_in_spanish_and_refers_to_the_consequences() -> None:
    async with run_sim(switches=turn("entity_tags=false")) as sim:
        code, out, err = await run(sim, *only(["tags-on-items", "missing-right-is-403"]))
        lines = out.splitlines()
        assert lines[0].split() == ["distinto", "tags-on-items", "se", "espera", "weak,", "responde", "none"]
        assert lines[1].strip() == "Qué cambia aquí y de dónde se sabe: docs/assumptions.md, tags-on-items"
        assert "nunca se pregunta" in out
        assert lines[-1].startswith("2 preguntas, ")
        assert err.splitlines()[-1] == "[2/2] missing-right-is-403"
        assert code == 1


@pytest.mark.asyncio
async def test_write_questions_need_the_company_twice_and_remaining_records_are_listed() -> None:
    async with run_sim() as sim:
        requested = only(["lines-are-merged", "batch-rolls-back"])
        code, out, _ = await run(sim, "--write", "--company", "SBO_DEMO", *requested, typed="SBO_DEMO")
        assert code == 0, out
        assert "Queda en el ERP:\n  Quotations(" in out
        assert "stays, cancelled" in out


@pytest.mark.parametrize(
    ("words", "typed", "environment", "reason"),
    [
        (["--write", "--company", "SBO_OTHER"], "SBO_OTHER", "test", "no es la empresa configurada"),
        (["--write"], "SBO_DEMO", "test", "no es la empresa configurada"),
        (["--write", "--company", "SBO_DEMO"], "sbo_demo", "test", "no es el de la empresa"),
        (
            ["--write", "--company", "SBO_DEMO"],
            "SBO_DEMO",
            "production",
            "no se escribe nada",
        ),
        (["--company", "SBO_DEMO"], "", "test", "solo tiene sentido con --write"),
        (["--only", "no-such"], "", "test", "No hay tal pregunta: no-such"),
    ],
)
@pytest.mark.asyncio
async def test_without_permission_to_write_no_request_is_sent(
    words: list[str], typed: str, environment: str, reason: str
) -> None:
    async with run_sim() as sim:
        code, out, err = await run(sim, *words, typed=typed, environment=environment)
        assert (code, out) == (2, "")
        assert reason in err
        assert sim.calls.total == 0


@pytest.mark.asyncio
async def test_a_refused_login_is_not_tried_again_and_named() -> None:
    async with run_sim() as sim:
        code, out, err = await run(sim, ERP_SL_PASSWORD="canary-19c")
        assert (code, out) == (2, "")
        assert "El ERP rechazó el inicio de sesión (código 100000027)" in err
        assert "canary-19c" not in err
        assert sim.calls.total == 1


@pytest.mark.asyncio
async def test_an_erp_that_is_away_is_named() -> None:
    async with run_sim() as sim:
        url = sim.url
    async with run_sim() as sim:
        code, out, err = await run(sim, ERP_SL_URL=url)
        assert (code, out) == (2, "")
        assert err.startswith("No se pudo conectar con el Service Layer: ")


@pytest.mark.asyncio
async def test_an_answer_that_does_not_come_is_two() -> None:
    async with run_sim() as sim:
        sim.faults.add(Fault(action=Drop(when=When.BEFORE_WORK), path="Drafts", times=2))
        code, out, _ = await run(sim, *only(["drafts-by-their-kind"]))
        assert code == 2
        assert "sin respuesta" in out
        assert "no hubo respuesta" in out


class LeavingReader(io.StringIO):
    """Whoever reads the progress leaves after two lines."""

    @override
    def write(self, text: str, /) -> int:
        if self.getvalue().count("\n") == 2:
            self.truncate(0)
            raise BrokenPipeError
        return super().write(text)


@pytest.mark.asyncio
async def test_an_aborted_run_cancels_its_documents() -> None:
    async with run_sim() as sim:
        requested = only(["change-answers-nothing", "true-tag-passes", "lines-are-merged"])
        with pytest.raises(BrokenPipeError):
            await run(
                sim, "--write", "--company", "SBO_DEMO", *requested, typed="SBO_DEMO", err=LeavingReader()
            )
        cancelled = [call for call in sim.calls.of("POST") if call.path.endswith("/Cancel")]
        assert len(cancelled) == 1
        assert len(sim.calls.of("POST", "Logout")) == 1


@pytest.mark.asyncio
async def test_without_employees_their_question_is_skipped() -> None:
    async with run_sim() as sim:
        empty = Answer(status=200, body='{"value":[]}', content_type="application/json")
        sim.faults.add(Fault(action=empty, path="EmployeesInfo"))
        code, out, _ = await run(sim, *only(["employee-active-is-a-word"]))
        assert code == 0
        assert "la empresa no tiene el dato" in out


@pytest.mark.asyncio
async def test_the_json_has_fixed_words_and_no_company_data() -> None:
    async with run_sim() as sim:
        _, out, _ = await run(sim, "--write", "--company", "SBO_DEMO", "--json", typed="SBO_DEMO")
        assert sim.calls.total <= 150
        for each in json.loads(out)["questions"]:
            words = (each["expected"], each["seen"] or "-")
            assert all(re.fullmatch(r"[A-Za-z0-9_.:@/-]+", word) for word in words), each
        for canary in ("SBO_DEMO", "127.0.0.1", "manager", "erpsim", "Comercial"):
            assert canary not in out.replace("in erpsim", "")


def test_every_question_has_the_texts_of_its_page() -> None:
    names = [question.name for question in QUESTIONS]
    assert len(names) == len(set(names))
    for question in OWN_QUESTIONS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", question.name)
        assert question.asks.endswith("?")
        assert (question.probe is None) == bool(question.unasked)


def test_the_command_line_knows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    needed = {"ERP_SL_URL": "http://192.0.2.1/b1s/v1", "ERP_SL_COMPANY_DB": "C", "ERP_SL_USER": "u"}
    further = {"ERP_SL_PASSWORD": "p", "CONFIG_FILE": os.devnull, "SQLITE_PATH": str(tmp_path / "x")}
    for name, value in {**needed, **further}.items():
        monkeypatch.setenv(name, value)
    assert main(["conformance", "--only", "no-such"]) == 2
    assert "No hay tal pregunta: no-such" in capsys.readouterr().err


@pytest.mark.asyncio
async def test_a_company_without_data_leaves_questions_unanswered_and_none_wrong() -> None:
    async with run_sim(seed="empty") as sim:
        code, out, _ = await run(sim, "--json")
        report = json.loads(out)
        assert (code, report["counts"]["differs"], report["counts"]["unanswered"]) == (0, 0, 0)
        reasons = {each["name"]: each["reason"] for each in report["questions"]}
        assert reasons["tags-on-partners"] == "no record in BusinessPartners"
