"""A run as a value and as JSON, without data that identifies the installation."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from attrs import frozen

from erpdoctor.checks import Check, Finding
from servicekit.clock import iso_utc
from servicekit.last_run import FORM, Outcome

_EXIT_CODES: Final = {Outcome.FAIL: 2, Outcome.WARN: 1}


@frozen
class Result:
    """Result of one check.

    Attributes:
        check: the check.
        finding: its finding.
        duration_s: its duration.
    """

    check: Check
    finding: Finding
    duration_s: float

    @property
    def outcome(self) -> Outcome:
        """Its outcome."""
        return self.finding.outcome

    @property
    def page(self) -> str:
        """The documentation's page with details."""
        cause = self.finding.cause
        return self.check.page if cause is None or cause.page is None else cause.page

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON, without the observed facts."""
        cause = self.finding.cause
        return {
            "name": self.check.name,
            "group": self.check.group,
            "lookedAt": self.check.title,
            "outcome": self.outcome.value,
            "cause": None if cause is None else cause.code,
            "text": None if cause is None else cause.text,
            "mend": None if cause is None else cause.remedy or None,
            "page": self.page,
            "suspects": list(self.finding.suspects),
            "durationS": round(self.duration_s, 3),
            "figures": {name: _plain(value) for name, value in self.finding.figures.items()},
        }


@frozen(kw_only=True)
class Run:
    """Results of a run.

    Attributes:
        service: the checked service.
        version: of the service.
        results: result of each check, in order.
    """

    service: str
    version: str
    results: tuple[Result, ...]

    @property
    def outcome(self) -> Outcome:
        """The most severe outcome; skipped checks do not count."""
        outcomes = {result.outcome for result in self.results}
        return next((each for each in (Outcome.FAIL, Outcome.WARN) if each in outcomes), Outcome.OK)

    @property
    def exit_code(self) -> int:
        """0 if all checks passed, 1 with warnings, 2 with failures."""
        return _EXIT_CODES.get(self.outcome, 0)

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """Number of checks by outcome."""
        counts = Counter(result.outcome for result in self.results)
        return {outcome: counts[outcome] for outcome in Outcome}


@frozen(kw_only=True)
class Report(Run):
    """A run of a doctor.

    Attributes:
        started_at: start of the run.
        duration_s: its duration.
    """

    started_at: datetime
    duration_s: float

    def as_json(self) -> dict[str, Any]:
        """Return the run as JSON, without data that identifies the installation."""
        return {
            "doctor": FORM,
            "service": self.service,
            "version": self.version,
            "startedAt": iso_utc(self.started_at),
            "durationS": round(self.duration_s, 3),
            "outcome": self.outcome.value,
            "counts": {outcome.value: number for outcome, number in self.counts.items()},
            "checks": [result.as_json() for result in self.results],
        }


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return round(value, 3) if isinstance(value, float) else value
