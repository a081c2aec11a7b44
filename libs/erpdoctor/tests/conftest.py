"""Makes the doubles importable; makers of checks that find what a test says."""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog

from erpdoctor.checks import Check, Finding, ok
from erpdoctor.report import Report, Result
from servicekit.clock import ManualClock

sys.path.append(str(Path(__file__).parent / "doubles"))

MakeCheck = Callable[..., Check]
MakeReport = Callable[..., Report]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, 14, 5, 9, tzinfo=UTC))


@pytest.fixture
def make_check() -> MakeCheck:
    """Make a check that finds something; `looks` collects the names of those that looked."""

    def make(
        name: str, finding: Finding | None = None, *, looks: list[str] | None = None, **more: Any
    ) -> Check:
        async def look() -> Finding:
            if looks is not None:
                looks.append(name)
            return finding or ok()

        given: dict[str, Any] = {"run": look, "title": "Una cosa", "page": "docs/doctor.md#x"}
        return Check(name=name, **(given | more))

    return make


@pytest.fixture
def make_report(make_check: MakeCheck, clock: ManualClock) -> MakeReport:
    """Make a run of checks with these findings."""

    def make(**findings: Finding) -> Report:
        results = (
            Result(make_check(name.replace("__", "."), finding), finding, 0.25)
            for name, finding in findings.items()
        )
        return Report(
            service="erp-gateway",
            version="0.0.1",
            started_at=clock.now(),
            duration_s=1.25,
            results=tuple(results),
        )

    return make


@pytest.fixture
def log_lines() -> Iterator[list[Any]]:
    """Collect what is logged through structlog."""
    with structlog.testing.capture_logs() as lines:
        yield lines
