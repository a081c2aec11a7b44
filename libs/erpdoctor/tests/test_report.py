"""A run as JSON and as an exit code."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from erpdoctor.checks import Finding, fail, ok, skipped, warn
from erpdoctor.report import Report
from servicekit.last_run import LastRun, Outcome, read_last_run

BROKEN = fail("broken", "Está roto.", remedy="Arréglelo.")
ODD = warn("odd", "Es raro.", remedy="Mírelo.", page="docs/operations.md#odd")
OFF = skipped("not_configured", "No está configurado.")
MakeReport = Callable[..., Report]

CANARY = "canary-host.example"


@pytest.mark.parametrize(
    ("findings", "outcome", "code"),
    [
        ([ok(), OFF.found()], Outcome.OK, 0),
        ([ok(), ODD.found()], Outcome.WARN, 1),
        ([ODD.found(), BROKEN.found(), ok()], Outcome.FAIL, 2),
        ([], Outcome.OK, 0),
    ],
)
def test_the_gravest_finding_decides_the_exit_code(
    make_report: MakeReport, findings: list[Finding], outcome: Outcome, code: int
) -> None:
    report = make_report(**{f"a__n{at}": finding for at, finding in enumerate(findings)})
    assert (report.outcome, report.exit_code) == (outcome, code)


def test_observed_facts_are_not_in_the_json(make_report: MakeReport) -> None:
    report = make_report(net__name=ok(CANARY, addresses=2), net__port=BROKEN.found(f"{CANARY}:50000"))
    assert CANARY not in json.dumps(report.as_json())


def test_the_json_contains_the_run_and_each_check(make_report: MakeReport) -> None:
    report = make_report(
        net__name=ok(addresses=2, took_s=0.123456, tls=True),
        erp__fields=ODD.found("seen", missing=("U_WEB_USER", "U_WEB_PASS")),
    )
    parsed = report.as_json()
    assert {name: parsed[name] for name in parsed if name != "checks"} == {
        "doctor": 1,
        "service": "erp-gateway",
        "version": "0.0.1",
        "startedAt": "2026-03-02T14:05:09.000Z",
        "durationS": 1.25,
        "outcome": "warn",
        "counts": {"ok": 1, "warn": 1, "fail": 0, "skipped": 0},
    }
    assert parsed["checks"] == [
        {
            "name": "net.name",
            "group": "net",
            "lookedAt": "Una cosa",
            "outcome": "ok",
            "cause": None,
            "text": None,
            "mend": None,
            "page": "docs/doctor.md#x",
            "suspects": [],
            "durationS": 0.25,
            "figures": {"addresses": 2, "took_s": 0.123, "tls": True},
        },
        {
            "name": "erp.fields",
            "group": "erp",
            "lookedAt": "Una cosa",
            "outcome": "warn",
            "cause": "odd",
            "text": "Es raro.",
            "mend": "Mírelo.",
            "page": "docs/operations.md#odd",
            "suspects": [],
            "durationS": 0.25,
            "figures": {"missing": ["U_WEB_USER", "U_WEB_PASS"]},
        },
    ]


def test_a_stored_run_has_its_time_counts_and_failures(make_report: MakeReport, tmp_path: Path) -> None:
    file = tmp_path / "doctor.json"
    report = make_report(a__one=ok(), a__two=BROKEN.found(), b__one=ODD.found(), b__two=BROKEN.found())
    file.write_text(json.dumps(report.as_json()), encoding="utf-8")
    assert read_last_run(file) == LastRun(
        at=datetime(2026, 3, 2, 14, 5, 9, tzinfo=UTC),
        counts={Outcome.OK: 1, Outcome.WARN: 1, Outcome.FAIL: 2, Outcome.SKIPPED: 0},
        failures=("a.two", "b.two"),
    )
