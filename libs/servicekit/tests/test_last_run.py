"""Results of the last run, from the JSON file that it wrote."""

import json
from pathlib import Path

import pytest

from servicekit.last_run import read_last_run


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"doctor": 1, "startedAt"',
        "[]",
        '{"doctor": 2, "startedAt": "2026-03-02T14:05:09Z", "checks": []}',
    ],
)
def test_an_incomplete_run_file_has_no_result(tmp_path: Path, content: str) -> None:
    file = tmp_path / "doctor.json"
    assert read_last_run(file) is None
    file.write_text(content, encoding="utf-8")
    assert read_last_run(file) is None


def test_a_run_file_gives_the_expiry_of_each_certificate(tmp_path: Path) -> None:
    file = tmp_path / "doctor.json"
    checks = [
        {"name": "network.certificate", "outcome": "ok", "figures": {"verified": True, "days": 40}},
        {"name": "origin.certificate", "outcome": "warn", "figures": {"days": 5}},
        {"name": "database.certificate", "outcome": "ok", "figures": {"days": "many"}},
        {"name": "other.certificate", "outcome": "skipped"},
        {"name": "network.clock", "outcome": "ok", "figures": {"days": 3}},
    ]
    run = {"doctor": 1, "startedAt": "2026-11-28T05:30:00Z", "checks": checks}
    file.write_text(json.dumps(run), encoding="utf-8")
    found = read_last_run(file)
    assert found is not None
    assert {name: f"{until:%Y-%m-%d}" for name, until in found.certificates.items()} == {
        "network.certificate": "2027-01-07",
        "origin.certificate": "2026-12-03",
    }
