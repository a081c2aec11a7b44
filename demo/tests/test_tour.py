"""What the tour says when a step fails."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from demo.client import Client
from demo.steps import STEPS
from demo.tour import StepFailedError, Tour, run_steps
from tools.packages import ROOT


@dataclass(frozen=True)
class Told:
    NAME: str
    TITLE: str
    run: Callable[[Tour], None]


def shows(_: Tour) -> None:
    print("   > GET /api/health")


def fails(_: Tour) -> None:
    print("   > GET /api/report")
    raise StepFailedError("expected 200, got 502 report_failed")


def breaks(_: Tour) -> None:
    raise KeyError("DocEntry")


def test_failed_steps_are_named_again_at_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tour = Tour(Client(1), Client(2), tmp_path, lambda _method, _path: None)
    steps = [Told("a", "A.", fails), Told("b", "B.", shows), Told("c", "C.", breaks)]
    failed = run_steps(steps, tour, narrated=True)
    assert failed == ["a: expected 200, got 502 report_failed", "c: KeyError: 'DocEntry'"]
    told = capsys.readouterr().out
    assert told.endswith(
        "\n1 of 3 steps held.\nFAIL a: expected 200, got 502 report_failed\nFAIL c: KeyError: 'DocEntry'\n"
    )
    assert "\n2. B.\n   > GET /api/health\nok b\n" in told


def test_unless_it_is_narrated_a_step_is_a_line_and_a_failed_one_tells_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tour = Tour(Client(1), Client(2), tmp_path, lambda _method, _path: None)
    run_steps([Told("b", "It shows.", shows), Told("a", "A.", fails)], tour, narrated=False)
    told = capsys.readouterr().out.splitlines()
    assert told[:3] == [
        "ok b                  It shows.",
        "   > GET /api/report",
        "FAIL a: expected 200, got 502 report_failed",
    ]


def test_the_whole_tour_fits_a_screen_and_the_readme_counts_its_steps() -> None:
    assert len(STEPS) <= 40
    assert f"shows {len(STEPS)} things they do" in (ROOT / "README.md").read_text("utf-8")
    assert max(len(f"ok {step.NAME:<18} {step.TITLE}") for step in STEPS) <= 80
