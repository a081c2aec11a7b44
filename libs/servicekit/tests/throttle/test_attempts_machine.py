"""The throttle (counts of users and addresses, running attempts, refusals) against a plain model."""

import asyncio
import math
from datetime import UTC, datetime
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
from typing_extensions import override

from servicekit.clock import ManualClock
from servicekit.throttle import (
    Attempt,
    AttemptBlockedError,
    AttemptsCrowdedError,
    Block,
    BlockScope,
    LoginThrottle,
    ThrottleLimits,
)

LIMITS = ThrottleLimits(per_user=2, per_address=2, window_s=100.0)
CAPACITY = 2
MAX_WAITING = 2
USERS = [f"user{number}" for number in range(3)]
ADDRESSES = [f"10.0.0.{number}" for number in range(3)]


class Side:
    """State of the users, or of the addresses, in the model."""

    def __init__(self, scope: BlockScope, limit: int) -> None:
        self.scope = scope
        self.limit = limit
        self.failures: list[tuple[str, float]] = []
        self.running: list[str] = []
        self.blocks: dict[str, Block] = {}
        self.ended_blocks: list[Block] = []

    def recent(self, key: str, now: float) -> list[float]:
        return [at for failed, at in self.failures if failed == key and now - at < LIMITS.window_s]

    def forget(self, key: str) -> None:
        self.failures = [failure for failure in self.failures if failure[0] != key]

    def drop_old(self, now: float) -> None:
        self.failures = [failure for failure in self.failures if now - failure[1] < LIMITS.window_s]
        for key in list(self.blocks):
            if len(self.recent(key, now)) < self.limit:
                self.ended_blocks.append(self.blocks.pop(key))

    def fail(self, key: str, now: float) -> None:
        self.drop_old(now)
        self.failures.append((key, now))
        latest = {failed: number for number, (failed, _) in enumerate(self.failures)}
        if len(latest) > CAPACITY:
            self.forget(min(latest, key=latest.__getitem__))
        self.drop_old(now)

    def keys(self) -> set[str]:
        return {key for key, _ in self.failures} | set(self.running)


class Try:
    """One attempt: `task` runs from the request for a place until its outcome has been counted."""

    task: asyncio.Task[None]

    def __init__(self, user: str, address: str) -> None:
        self.user = user
        self.address = address
        self.attempt: Attempt | None = None
        self.end = asyncio.Event()

    async def run(self, throttle: LoginThrottle) -> None:
        async with throttle.attempt(self.user, self.address) as attempt:
            self.attempt = attempt
            await self.end.wait()


class ThrottleMachine(RuleBasedStateMachine):
    """Every rule runs until nothing moves any more, so that the model need not know of tasks."""

    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.throttle = LoginThrottle(self.clock, limits=LIMITS, capacity=CAPACITY, max_waiting=MAX_WAITING)
        self.users = Side(BlockScope.USER, LIMITS.per_user)
        self.addresses = Side(BlockScope.ADDRESS, LIMITS.per_address)
        self.running: list[Try] = []
        self.waiting: list[Try] = []

    @property
    def now(self) -> float:
        return self.clock.monotonic()

    def settle(self) -> None:
        async def turns() -> None:
            for _ in range(10):
                await asyncio.sleep(0)

        self.runner.run(turns())

    def expect(self, one: Try, *, was_waiting: bool) -> None:
        """Compare the outcome of an attempt with the model."""
        if one.task.done():
            assert isinstance(one.task.exception(), AttemptBlockedError | AttemptsCrowdedError)
        for side in (self.users, self.addresses):
            side.drop_old(self.now)
        for side, key in ((self.users, one.user), (self.addresses, one.address)):
            recent = side.recent(key, self.now)
            if len(recent) >= side.limit:
                self.expect_blocked(one, side, key, min(recent) + LIMITS.window_s - self.now)
                return
        if all(
            len(side.recent(key, self.now)) + side.running.count(key) < side.limit
            for side, key in ((self.users, one.user), (self.addresses, one.address))
        ):
            assert one.attempt is not None
            self.running.append(one)
            self.users.running.append(one.user)
            self.addresses.running.append(one.address)
        elif was_waiting or len(self.waiting) < MAX_WAITING:
            assert one.attempt is None
            assert not one.task.done()
            self.waiting.append(one)
        else:
            assert isinstance(one.task.exception(), AttemptsCrowdedError)

    def expect_blocked(self, one: Try, side: Side, key: str, remaining_s: float) -> None:
        assert one.task.done()
        refusal = one.task.exception()
        assert isinstance(refusal, AttemptBlockedError)
        assert refusal.scope is side.scope
        assert refusal.retry_after_s == max(1, math.ceil(remaining_s))
        assert side.blocks.setdefault(key, refusal.block) is refusal.block
        assert not any(ended is refusal.block for ended in side.ended_blocks)

    def ask(self, user: str, address: str) -> Try:
        one = Try(user, address)
        one.task = self.runner.get_loop().create_task(one.run(self.throttle))
        self.settle()
        self.expect(one, was_waiting=False)
        return one

    @rule(user=st.sampled_from(USERS), address=st.sampled_from(ADDRESSES))
    def begin(self, user: str, address: str) -> None:
        self.ask(user, address)

    @rule(user=st.sampled_from(USERS), address=st.sampled_from(ADDRESSES))
    def fail(self, user: str, address: str) -> None:
        one = self.ask(user, address)
        if one in self.running:
            self.tell(one, False)

    @precondition(lambda self: self.running)
    @rule(data=st.data(), outcome=st.sampled_from([True, False, None]))
    def end(self, data: Any, outcome: bool | None) -> None:
        self.tell(data.draw(st.sampled_from(self.running)), outcome)

    def tell(self, one: Try, outcome: bool | None) -> None:
        assert one.attempt is not None
        one.attempt.outcome = outcome
        one.end.set()
        self.settle()
        assert one.task.exception() is None
        self.running.remove(one)
        self.users.running.remove(one.user)
        self.addresses.running.remove(one.address)
        if outcome is False:
            self.users.fail(one.user, self.now)
            self.addresses.fail(one.address, self.now)
        elif outcome:
            self.users.forget(one.user)
        self.expect_waiting()

    def expect_waiting(self) -> None:
        waiting, self.waiting = self.waiting, []
        for one in waiting:
            self.expect(one, was_waiting=True)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def leave(self, data: Any) -> None:
        one = self.waiting.pop(data.draw(st.integers(0, len(self.waiting) - 1)))
        one.task.cancel()
        self.settle()
        assert one.task.cancelled()

    @rule(user=st.sampled_from(USERS))
    def lift(self, user: str) -> None:
        self.users.drop_old(self.now)
        is_blocked = len(self.users.recent(user, self.now)) >= self.users.limit
        assert self.throttle.lift_block(user) is is_blocked
        if is_blocked:
            self.users.forget(user)
            self.users.drop_old(self.now)

    @rule(seconds=st.sampled_from([1.0, 50.0, 99.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def a_stranger_passes_by(self) -> None:
        """Whoever asks makes room: afterwards nothing is kept that no longer counts."""

        async def ask() -> None:
            async with self.throttle.attempt("stranger", "10.9.9.9"):
                pass

        self.runner.run(ask())
        self.expect_waiting()
        for side in (self.users, self.addresses):
            side.drop_old(self.now)
        assert len(self.throttle) == len(self.users.keys()) + len(self.addresses.keys())

    @invariant()
    def memory_is_bounded(self) -> None:
        ThrottleMachine.steps += 1
        assert len(self.throttle) <= 2 * (CAPACITY + len(self.running))

    @override
    def teardown(self) -> None:
        self.runner.close()


def test_the_throttle_behaves_as_the_model() -> None:
    run_state_machine_as_test(
        ThrottleMachine, settings=settings(max_examples=30, stateful_step_count=100, deadline=None)
    )


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_the_throttle_behaves_as_the_model_for_twenty_thousand_steps() -> None:
    before = ThrottleMachine.steps
    run_state_machine_as_test(
        ThrottleMachine, settings=settings(max_examples=300, stateful_step_count=100, deadline=None)
    )
    assert ThrottleMachine.steps - before >= 20_000
