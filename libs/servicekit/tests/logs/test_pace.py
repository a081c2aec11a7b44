"""Lines about something that goes on: the first at once, then one a minute with a count."""

from collections.abc import Iterator, MutableMapping
from typing import Any

import pytest
from structlog.testing import capture_logs

from servicekit.logs.pace import FailureStreak


class Times:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def logs() -> Iterator[list[MutableMapping[str, Any]]]:
    with capture_logs() as captured:
        yield captured


def test_repeated_failures_log_one_line_per_minute_with_a_count(
    logs: list[MutableMapping[str, Any]],
) -> None:
    now = Times()
    streak = FailureStreak("store_failed", "store_again", monotonic=now, place="disk")
    for now.now in (0.0, 1.0, 2.0, 59.9, 60.0, 119.0, 121.0):
        streak.failed(reason=f"at {now.now:g}")
    now.now = 130.0
    streak.succeeded()
    assert [(line["event"], line.get("reason"), line.get("repeated")) for line in logs] == [
        ("store_failed", "at 0", None),
        ("store_failed", "at 60", 3),
        ("store_failed", "at 121", 1),
        ("store_again", None, 0),
    ]
    assert logs[-1]["after_s"] == 130.0
    assert all(line["place"] == "disk" for line in logs)


def test_intermittent_failures_share_one_log_line(logs: list[MutableMapping[str, Any]]) -> None:
    now = Times()
    streak = FailureStreak("failed", "again", monotonic=now)
    for _ in range(40):
        streak.failed()
        streak.succeeded()
        now.now += 1.0
    assert [line["event"] for line in logs] == ["failed", "again"]
    now.now = 60.0
    streak.failed()
    assert logs[-1]["repeated"] == 39


def test_a_success_without_failure_is_not_logged(logs: list[MutableMapping[str, Any]]) -> None:
    FailureStreak("failed", "again").succeeded()
    assert logs == []


def test_only_an_unexpected_cause_is_logged_with_traceback(logs: list[MutableMapping[str, Any]]) -> None:
    FailureStreak("failed", "again").failed(reason="refused")
    FailureStreak("failed", "again").failed(trace=ValueError("a fault of the program"))
    assert ["exc_info" in line for line in logs] == [False, True]
