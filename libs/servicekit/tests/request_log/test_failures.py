"""The last failures: which requests count, newest first, no more than are wanted."""

from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from servicekit.clock import ManualClock
from servicekit.request_log.failures import Failure, RecentFailures

NOW = datetime(2026, 3, 2, 14, 5, 9, tzinfo=UTC)


def record(failures: RecentFailures, status: int, code: str | None = "x", request_id: str = "01J") -> None:
    failures.record(method="GET", route="/api/x", status=status, code=code, request_id=request_id)


@pytest.mark.parametrize(
    ("status", "code", "counts"),
    [
        (200, None, False),
        (204, None, False),
        (404, "not_found", False),
        (499, None, False),
        (500, None, True),
        (502, "upstream_unreachable", True),
        (503, "queue_full", True),
        (200, "answer_broken_off", True),
    ],
)
def test_only_failures_of_the_service_are_kept(status: int, code: str | None, counts: bool) -> None:
    failures = RecentFailures(ManualClock(NOW))
    record(failures, status, code)
    assert bool(failures.latest()) == counts


def test_recent_failures_are_listed_newest_first_and_bounded() -> None:
    clock = ManualClock(NOW)
    failures = RecentFailures(clock, most=3)
    for number in range(5):
        record(failures, 502, request_id=str(number))
        clock.advance(1)
    assert [failure.request_id for failure in failures.latest()] == ["4", "3", "2"]
    assert (failures.latest()[-1].at - NOW).total_seconds() == 2


def test_a_method_of_any_length_is_cut() -> None:
    failures = RecentFailures(ManualClock(NOW))
    failures.record(method="X" * 5000, route=None, status=503, code="shutting_down", request_id="01J")
    assert failures.latest()[0].method == "X" * 16


async def crash(_request: Request) -> Response:
    raise RuntimeError("SENTINEL")


@pytest.mark.asyncio
async def test_recorded_failures_contain_no_request_data(
    make_endpoint: Any, make_app: Any, open_client: Any
) -> None:
    failures = RecentFailures(ManualClock(NOW))
    client = open_client(make_app(make_endpoint("GET", "/api/crash/{key}", crash), failures=failures))
    await client.get("/api/crash/K-17?q=secret", headers={"X-Request-ID": "req-1"})
    await client.get("/api/nothing")
    assert failures.latest() == (
        Failure(
            at=NOW,
            method="GET",
            route="/api/crash/{key}",
            status=500,
            code="internal_error",
            request_id="req-1",
        ),
    )
