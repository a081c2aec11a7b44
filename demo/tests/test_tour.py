"""What the tour says when a step fails."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from demo.client import Client
from demo.tour import StepFailedError, Tour, run_steps


@dataclass(frozen=True)
class Told:
    NAME: str
    TITLE: str
    run: Callable[[Tour], None]


def shows(_: Tour) -> None:
    pass


def fails(_: Tour) -> None:
    raise StepFailedError("expected 200, got 502 report_failed")


def breaks(_: Tour) -> None:
    raise KeyError("DocEntry")


def test_failed_steps_are_named_again_at_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tour = Tour(Client(1), Client(2), tmp_path, lambda _method, _path: None)
    failed = run_steps([Told("a", "A.", fails), Told("b", "B.", shows), Told("c", "C.", breaks)], tour)
    assert failed == ["a: expected 200, got 502 report_failed", "c: KeyError: 'DocEntry'"]
    told = capsys.readouterr().out
    assert told.endswith(
        "\n1 of 3 steps held.\nFAIL a: expected 200, got 502 report_failed\nFAIL c: KeyError: 'DocEntry'\n"
    )
    assert run_steps([Told("b", "B.", shows)], tour) == []
    assert capsys.readouterr().out.endswith("\n1 of 1 steps held.\n")
