"""The counts against a model that keeps a plain list of failures."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from servicekit.throttle.failure_counts import Block, FailureCounts

LIMIT = 3
WINDOW_S = 100.0
KEYS = st.sampled_from(["a", "b", "c"])


class CountsMachine(RuleBasedStateMachine):
    """The model: (key, time) of every failure that no success has cleared, and the running attempts."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.counts = FailureCounts(limit=LIMIT, window_s=WINDOW_S, capacity=100, success_clears=True)
        self.failures: list[tuple[str, float]] = []
        self.running: list[str] = []
        self.blocks: dict[str, Block] = {}

    def recent(self, key: str) -> list[float]:
        return [at for failed, at in self.failures if failed == key and self.now - at < WINDOW_S]

    @rule(key=KEYS)
    def try_to_start(self, key: str) -> None:
        found = self.counts.find_block(key, self.now)
        recent = self.recent(key)
        if len(recent) >= LIMIT:
            assert found is not None
            block, remaining_s = found
            assert remaining_s == pytest.approx(min(recent) + WINDOW_S - self.now)
            assert self.blocks.setdefault(key, block) is block
            return
        assert found is None
        self.blocks.pop(key, None)
        has_room = len(recent) + self.running.count(key) < LIMIT
        assert self.counts.has_room(key) is has_room
        if has_room:
            self.counts.start(key)
            self.running.append(key)

    @precondition(lambda self: self.running)
    @rule(data=st.data(), succeeded=st.sampled_from([True, False, None]))
    def end(self, data: Any, succeeded: bool | None) -> None:
        key = data.draw(st.sampled_from(self.running))
        self.running.remove(key)
        self.counts.end(key, succeeded=succeeded, now=self.now)
        if succeeded is False:
            self.failures.append((key, self.now))
        elif succeeded:
            self.failures = [failure for failure in self.failures if failure[0] != key]

    @rule(seconds=st.sampled_from([0.5, 30.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def limits_hold_and_nothing_needless_is_kept(self) -> None:
        for key in ("a", "b", "c"):
            assert len(self.recent(key)) <= LIMIT
        assert len(self.counts) <= len({key for key, _ in self.failures} | set(self.running))


def test_counts_behave_as_the_model() -> None:
    run_state_machine_as_test(CountsMachine, settings=settings(max_examples=100, deadline=None))


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_counts_behave_as_the_model_for_long() -> None:
    run_state_machine_as_test(
        CountsMachine, settings=settings(max_examples=5000, stateful_step_count=100, deadline=None)
    )


def test_a_key_with_a_running_attempt_is_never_dropped_for_room() -> None:
    counts = FailureCounts(limit=LIMIT, window_s=WINDOW_S, capacity=2, success_clears=True)
    for key in ("a", "b", "c"):
        counts.start(key)
    assert len(counts) == 3
    for key in ("a", "b", "c"):
        counts.end(key, succeeded=False, now=0.0)
    counts.start("d")
    counts.start("e")
    assert len(counts) <= 3
    counts.end("d", succeeded=None, now=1.0)
    counts.end("e", succeeded=None, now=1.0)
