"""Record of a document at the end of a run."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from plannings import NOW, attempted, document

from supplier_returns.execution.rules.recorded_outcomes import (
    LONG_AGO,
    attempt_recorded,
    last_attempt,
    written_at,
)
from supplier_returns.planning.model.states import DocumentState


def test_a_time_is_recorded_in_utc_seconds_and_read_back() -> None:
    in_santiago = datetime(2026, 3, 4, 9, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=-3)))
    assert written_at(in_santiago) == "2026-03-04T12:00:00Z"
    assert last_attempt(document(last_attempt=written_at(in_santiago))) == NOW


@pytest.mark.parametrize("text", ["", "ayer", "2026-13-01T00:00:00Z"])
def test_an_invalid_attempt_time_is_long_ago(text: str) -> None:
    assert last_attempt(document(last_attempt=text)) == LONG_AGO


def test_a_time_without_a_zone_is_utc() -> None:
    assert last_attempt(document(last_attempt="2026-03-04T12:00:00")) == datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(("is_first", "attempts"), [(True, 2), (False, 1)])
def test_a_recorded_attempt_clears_the_last_failure(is_first: bool, attempts: int) -> None:
    failed = attempted(
        DocumentState.FAILED, ago_s=60, error_class="stock", error_code="-10", message="Sin stock"
    )
    started = attempt_recorded(failed, NOW, is_first=is_first)
    assert (started.state, started.attempts, last_attempt(started)) == (DocumentState.RUNNING, attempts, NOW)
    assert (started.error_class, started.error_code, started.message) == (None, None, None)
