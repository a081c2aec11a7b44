"""What is known of the last run, from the file that its JSON was written to."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from servicekit.doctor import LastRun, Outcome, Report, fail, ok, read_last_run, warn

BROKEN = fail("broken", "Está roto.", mend="Arréglelo.")
ODD = warn("odd", "Es raro.", mend="Mírelo.", page="docs/operations.md#odd")
MakeReport = Callable[..., Report]


def test_a_run_that_was_written_tells_its_time_its_counts_and_its_failures(
    make_report: MakeReport, tmp_path: Path
) -> None:
    file = tmp_path / "doctor.json"
    report = make_report(a__one=ok(), a__two=BROKEN.found(), b__one=ODD.found(), b__two=BROKEN.found())
    file.write_text(json.dumps(report.as_json()), encoding="utf-8")
    assert read_last_run(file) == LastRun(
        at=datetime(2026, 3, 2, 14, 5, 9, tzinfo=UTC),
        counts={Outcome.OK: 1, Outcome.WARN: 1, Outcome.FAIL: 2, Outcome.SKIPPED: 0},
        failures=("a.two", "b.two"),
    )


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"doctor": 1, "startedAt"',
        "[]",
        '{"doctor": 2, "startedAt": "2026-03-02T14:05:09Z", "checks": []}',
    ],
)
def test_a_file_without_a_whole_run_tells_nothing(tmp_path: Path, content: str) -> None:
    file = tmp_path / "doctor.json"
    assert read_last_run(file) is None
    file.write_text(content, encoding="utf-8")
    assert read_last_run(file) is None
