"""The last run of a service's doctor, read from a file with the output of `doctor --json`."""

from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec
from attrs import field, frozen

FORM: Final = 1
"""Version of the JSON format. Raise it when a member changes its meaning."""

_MOST_BYTES: Final = 1024 * 1024
_MOST_FAILURES: Final = 50
_MOST_DAYS: Final = 100_000


class Outcome(Enum):
    """Outcome of a check."""

    OK = "ok"
    WARN = "warn"
    """It works, but needs attention."""
    FAIL = "fail"
    """It does not work."""
    SKIPPED = "skipped"
    """Not checked, because it is not configured or a prerequisite failed."""


@frozen(kw_only=True)
class LastRun:
    """Time and result of a doctor's run.

    Attributes:
        at: start of the run.
        counts: number of checks by outcome.
        failures: names of failed checks, at most 50.
        certificates: expiry of the examined certificate, by check.
    """

    at: datetime
    counts: dict[Outcome, int]
    failures: tuple[str, ...]
    certificates: dict[str, datetime] = field(factory=dict)


class _Check(msgspec.Struct):
    name: str
    outcome: Outcome
    figures: dict[str, object] = {}


class _Run(msgspec.Struct, rename="camel"):
    doctor: int
    started_at: datetime
    checks: list[_Check]


def read_last_run(file: Path) -> LastRun | None:
    """Read a run; None if the file is missing or incomplete (the doctor may be writing it)."""
    try:
        with file.open("rb") as opened:
            run = msgspec.json.decode(opened.read(_MOST_BYTES), type=_Run)
    except (OSError, msgspec.DecodeError):
        return None
    if run.doctor != FORM:
        return None
    outcomes = [check.outcome for check in run.checks]
    return LastRun(
        at=run.started_at,
        counts={outcome: outcomes.count(outcome) for outcome in Outcome},
        failures=tuple(check.name for check in run.checks if check.outcome is Outcome.FAIL)[:_MOST_FAILURES],
        certificates={
            check.name: run.started_at + timedelta(days=days)
            for check in run.checks
            if check.name.endswith(".certificate")
            and isinstance(days := check.figures.get("days"), int)
            and abs(days) < _MOST_DAYS
        },
    )
