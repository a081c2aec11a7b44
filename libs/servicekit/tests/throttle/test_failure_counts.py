"""The counts by themselves: what a block is, and what is forgotten first."""

import pytest

from servicekit.throttle import FailureCounts

LIMIT = 3
WINDOW_S = 100.0


@pytest.fixture
def counts() -> FailureCounts:
    return FailureCounts(limit=LIMIT, window_s=WINDOW_S, capacity=2, success_clears=True)


def fail(counts: FailureCounts, key: str, *, now: float, times: int = 1) -> None:
    for _ in range(times):
        counts.start(key)
        counts.end(key, succeeded=False, now=now)


def test_a_block_is_the_same_object_until_it_expires(counts: FailureCounts) -> None:
    fail(counts, "a", now=0.0)
    fail(counts, "a", now=50.0, times=2)
    first = counts.find_block("a", 50.0)
    assert first is not None
    assert first[1] == 50.0
    again = counts.find_block("a", 99.5)
    assert again is not None
    assert again[0] is first[0]
    assert counts.find_block("a", 100.0) is None  # the first failure left; two are still known
    fail(counts, "a", now=100.0)
    second = counts.find_block("a", 100.0)
    assert second is not None
    assert second[0] is not first[0]
    assert second[1] == 50.0


def test_beyond_the_capacity_the_oldest_failed_key_is_forgotten(
    counts: FailureCounts,
) -> None:
    counts.start("a")
    fail(counts, "a", now=0.0, times=2)
    fail(counts, "b", now=1.0, times=3)
    fail(counts, "c", now=2.0, times=3)
    assert counts.find_block("b", 2.0) is not None
    assert counts.find_block("c", 2.0) is not None
    assert len(counts) == 3
    counts.start("a")
    assert counts.has_capacity("a")  # two run, and the two failures are forgotten
    counts.start("a")
    assert not counts.has_capacity("a")
    for _ in range(3):
        counts.end("a", succeeded=None, now=3.0)
    assert len(counts) == 2


def test_failures_and_running_attempts_reach_the_limit_together(counts: FailureCounts) -> None:
    fail(counts, "a", now=0.0, times=2)
    assert counts.has_capacity("a")
    counts.start("a")
    assert not counts.has_capacity("a")


def test_a_running_attempt_does_not_delay_forgetting_other_keys(counts: FailureCounts) -> None:
    fail(counts, "a", now=0.0)
    fail(counts, "b", now=1.0)
    counts.start("a")
    assert counts.find_block("c", 101.0) is None
    assert len(counts) == 1
    counts.end("a", succeeded=None, now=101.0)
    assert len(counts) == 0
    assert counts.find_block("c", 101.0) is None


def test_a_key_that_fails_again_is_forgotten_after_those_that_did_not(counts: FailureCounts) -> None:
    fail(counts, "a", now=0.0, times=2)
    fail(counts, "b", now=1.0, times=3)
    fail(counts, "a", now=2.0)
    fail(counts, "c", now=3.0)
    assert counts.find_block("a", 3.0) is not None
    assert counts.find_block("b", 3.0) is None


def test_only_a_success_forgets_failures(counts: FailureCounts) -> None:
    fail(counts, "a", now=0.0, times=2)
    counts.start("a")
    counts.end("a", succeeded=None, now=1.0)
    fail(counts, "a", now=1.0)
    assert counts.find_block("a", 1.0) is not None
    counts.start("b")
    counts.end("b", succeeded=True, now=1.0)
    assert len(counts) == 1


def test_failures_are_listed_by_age_while_they_count(counts: FailureCounts) -> None:
    assert counts.ages("a", 0.0) == ()
    fail(counts, "a", now=0.0)
    fail(counts, "a", now=50.0)
    assert counts.ages("a", 99.0) == (99.0, 49.0)
    assert counts.ages("a", 100.0) == (50.0,)
    assert counts.ages("a", 150.0) == ()
    assert len(counts) == 0


def test_restored_failures_count_within_the_window(counts: FailureCounts) -> None:
    counts.restore("a", [99.5, 100.0, 250.0, 20.0], now=1_000.0)
    assert counts.ages("a", 1_000.0) == (99.5, 20.0)
    fail(counts, "a", now=1_000.0)
    found = counts.find_block("a", 1_000.0)
    assert found is not None
    assert found[1] == 0.5
    counts.restore("b", [100.0], now=1_000.0)
    assert counts.ages("b", 1_000.0) == ()
    assert len(counts) == 1


def test_restoring_keeps_the_latest_failures_and_keys(counts: FailureCounts) -> None:
    counts.restore("a", [40.0, 3.0, 30.0, 20.0], now=100.0)
    assert counts.ages("a", 100.0) == (30.0, 20.0, 3.0)
    counts.restore("b", [2.0], now=100.0)
    assert len(counts) == 2
    counts.restore("c", [1.0], now=100.0)
    assert [counts.ages(key, 100.0) for key in "abc"] == [(), (2.0,), (1.0,)]


def test_lifting_a_block_affects_only_its_key(counts: FailureCounts) -> None:
    fail(counts, "a", now=0.0, times=3)
    fail(counts, "b", now=0.0, times=2)
    assert not counts.lift("b", 1.0)
    assert counts.lift("a", 1.0)
    assert [counts.ages(key, 1.0) for key in "ab"] == [(), (1.0, 1.0)]
    fail(counts, "a", now=1.0, times=3)
    assert not counts.lift("a", 101.0), "it has ended by itself"
