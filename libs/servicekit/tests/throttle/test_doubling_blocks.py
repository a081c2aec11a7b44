"""Blocks that double until a success, failures that no time forgets, bounded memory."""

import pytest

from servicekit.throttle.doubling_blocks import DoublingBlocks

DAY_S = 86_400.0


@pytest.fixture
def counts() -> DoublingBlocks:
    return DoublingBlocks(limit=3, capacity=3)


def fail(counts: DoublingBlocks, key: str, *, now: float, times: int = 1) -> None:
    for _ in range(times):
        counts.start(key)
        counts.end(key, succeeded=False, now=now)


def remaining(counts: DoublingBlocks, key: str, now: float) -> float | None:
    found = counts.find_block(key, now)
    return None if found is None else found[1]


def test_the_block_doubles_from_a_quarter_of_an_hour_to_a_day(counts: DoublingBlocks) -> None:
    fail(counts, "a", now=0.0, times=3)
    now, lasted = 0.0, []
    for _ in range(9):
        duration = remaining(counts, "a", now)
        assert duration is not None
        assert remaining(counts, "a", now + duration - 1) == 1
        assert remaining(counts, "a", now + duration) is None
        lasted.append(duration)
        now += duration
        fail(counts, "a", now=now)
    assert lasted == [900.0 * 2**step for step in range(7)] + [DAY_S, DAY_S]


def test_failures_do_not_expire(counts: DoublingBlocks) -> None:
    for day in range(3):
        assert remaining(counts, "a", day * DAY_S) is None
        fail(counts, "a", now=day * DAY_S)
    assert remaining(counts, "a", 2 * DAY_S) == 900


def test_a_success_forgets_failures_and_the_length_of_the_block(counts: DoublingBlocks) -> None:
    fail(counts, "a", now=0.0, times=3)
    fail(counts, "a", now=1000.0)
    assert remaining(counts, "a", 1000.0) == 1800
    counts.start("a")
    counts.end("a", succeeded=True, now=2800.0)
    assert len(counts) == 0
    fail(counts, "a", now=2800.0, times=2)
    assert remaining(counts, "a", 2800.0) is None
    fail(counts, "a", now=2800.0)
    assert remaining(counts, "a", 2800.0) == 900


def test_an_unknown_outcome_is_not_counted(counts: DoublingBlocks) -> None:
    for _ in range(10):
        counts.start("a")
        counts.end("a", succeeded=None, now=0.0)
    assert counts.has_capacity("a")
    assert len(counts) == 0


def test_running_attempts_and_failures_reach_the_limit_together(counts: DoublingBlocks) -> None:
    fail(counts, "a", now=0.0)
    counts.start("a")
    assert counts.has_capacity("a")
    counts.start("a")
    assert not counts.has_capacity("a")
    assert counts.has_capacity("b")


def test_after_a_block_only_one_attempt_may_run_at_a_time(counts: DoublingBlocks) -> None:
    fail(counts, "a", now=0.0, times=3)
    assert counts.has_capacity("a")
    counts.start("a")
    assert not counts.has_capacity("a")
    counts.end("a", succeeded=None, now=1000.0)
    assert counts.has_capacity("a")


def test_repeated_lookups_of_a_block_return_the_same_object(counts: DoublingBlocks) -> None:
    fail(counts, "a", now=0.0, times=3)
    first, again = counts.find_block("a", 1.0), counts.find_block("a", 2.0)
    assert first is not None
    assert again is not None
    assert first[0] is again[0]
    fail(counts, "a", now=900.0)
    second = counts.find_block("a", 900.0)
    assert second is not None
    assert second[0] is not first[0]


def test_invented_names_do_not_push_out_a_block(counts: DoublingBlocks) -> None:
    fail(counts, "a", now=0.0, times=3)
    for number in range(50):
        fail(counts, f"x{number}", now=1.0)
    assert remaining(counts, "a", 1.0) == 899
    assert len(counts) == 1 + 3


def test_beyond_the_capacity_the_block_of_the_oldest_failure_is_forgotten(counts: DoublingBlocks) -> None:
    for step, key in enumerate("abcd"):
        fail(counts, key, now=float(step), times=3)
    assert [remaining(counts, key, 4.0) is None for key in "abcd"] == [True, False, False, False]
