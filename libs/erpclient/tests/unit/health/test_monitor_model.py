"""The monitor against its promises, whatever happens in whatever order."""

import asyncio
from collections.abc import Callable

import pytest
import structlog
from fake_transport import FakeTransport
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from manual_clock import ManualClock
from scripted_prober import ScriptedProber
from typing_extensions import override

from erpclient import (
    Condition,
    ErpLoginRejected,
    ErpServerError,
    ErpSettings,
    ErpTimeout,
    ErpUnwell,
    HealthMonitor,
    Phase,
)

PROBE_INTERVAL_S = 5.0
SUSPICIOUS = 3


class HealthStorm(RuleBasedStateMachine):
    """Calls end, probes end, clients come and go, time passes; the monitor's acts are held against a history.

    Attributes:
        silences: since the latest answer of any kind.
        unwell: whether a probe has failed since the latest answer.
        dismissals: how often those who wait were to be sent away.
        turns: what was to be logged.
    """

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = ManualClock()
        self.monitor = HealthMonitor(
            ErpSettings("http://10.0.0.1:50000/b1s/v1"), FakeTransport(), clock=self.clock
        )
        # The constant one can always be asked, as the balancer could be.
        self.constant = ScriptedProber("constant", suitability=(False, -9))
        self.others: list[ScriptedProber] = []
        self.known = [self.constant]
        self.monitor.join(self.constant)
        self.silences = 0
        self.unwell = False
        self.dismissals = 0
        self.turns: list[str] = []
        self.logged: list[object] = []
        self.began_at: list[float] = []

    @property
    def probing(self) -> list[ScriptedProber]:
        return [prober for prober in self.known if prober.running]

    @rule()
    def a_call_is_answered(self) -> None:
        self._do(self.monitor.answered)
        self._answered()

    @rule(times=st.integers(1, 4))
    def calls_get_no_answer(self, times: int) -> None:
        for _ in range(times):
            self._do(self.monitor.unanswered)
            self.silences += 1

    @rule(error=st.sampled_from([None, ErpLoginRejected(-304, "Fail")]))
    @precondition(lambda self: self.probing)
    def the_probe_is_answered(self, error: ErpLoginRejected | None) -> None:
        prober = self.probing[0]
        self._do(lambda: prober.end(error))
        self._answered()

    @rule(error=st.sampled_from([ErpTimeout(Phase.ANSWER), ErpServerError(502, None, "")]))
    @precondition(lambda self: self.probing)
    def the_probe_fails(self, error: ErpTimeout) -> None:
        prober = self.probing[0]
        if not self.unwell:
            self.unwell = True
            self.dismissals += 1
            self.turns.append("erp_unwell")
        self._do(lambda: prober.end(error))

    @rule(seconds=st.sampled_from([1, 4, 5, 20]))
    def time_passes(self, seconds: int) -> None:
        for _ in range(seconds):
            self._do(lambda: self.clock.advance(1.0))

    @rule(suitability=st.sampled_from([None, (True, 0), (True, -3), (False, 0)]))
    @precondition(lambda self: len(self.others) < 4)
    def a_client_joins(self, suitability: tuple[bool, int] | None) -> None:
        prober = ScriptedProber(f"client {len(self.known)}", suitability, dismissals=self.dismissals)
        self.others.append(prober)
        self.known.append(prober)
        self._do(lambda: self.monitor.join(prober))

    @rule(pick=st.integers(0, 3))
    @precondition(lambda self: self.others)
    def a_client_leaves(self, pick: int) -> None:
        prober = self.others.pop(pick % len(self.others))
        self._do(lambda: self.monitor.leave(prober))

    @invariant()
    def it_is_unwell_exactly_from_a_failed_probe_to_the_next_answer(self) -> None:
        assert (self.monitor.condition is Condition.UNWELL) == self.unwell
        try:
            self.monitor.check()
        except ErpUnwell:
            assert self.unwell
        else:
            assert not self.unwell

    @invariant()
    def it_probes_only_after_three_silences_or_a_failed_probe(self) -> None:
        if self.probing:
            assert self.silences >= SUSPICIOUS

    @invariant()
    def at_most_one_probe_runs_and_exactly_its_sender_is_held(self) -> None:
        assert len(self.probing) <= 1
        assert [prober for prober in self.known if prober.held] == self.probing

    @invariant()
    def probes_begin_five_seconds_apart_or_later(self) -> None:
        pairs = zip(self.began_at, self.began_at[1:], strict=False)
        assert all(later - earlier >= PROBE_INTERVAL_S for earlier, later in pairs)

    @invariant()
    def a_suspicion_is_always_being_looked_into_and_an_unwell_erp_is_never_forgotten(self) -> None:
        condition = self.monitor.condition
        if condition is Condition.WELL:
            assert not self.probing
            assert self.clock.armed == 0
        elif condition is Condition.SUSPECTED:
            assert self.probing
        else:
            assert bool(self.probing) != bool(self.clock.armed)

    @invariant()
    def those_who_wait_are_sent_away_once_at_each_turn_to_the_worse(self) -> None:
        assert {prober.dismissals for prober in [self.constant, *self.others]} == {self.dismissals}

    @invariant()
    def each_turn_is_logged_once(self) -> None:
        assert self.logged == self.turns

    def _answered(self) -> None:
        self.silences = 0
        if self.unwell:
            self.unwell = False
            self.turns.append("erp_well_again")

    def _do(self, act: Callable[[], None]) -> None:
        before = [prober.probes for prober in self.known]

        async def run() -> None:
            act()
            for _ in range(10):
                await asyncio.sleep(0)

        with structlog.testing.capture_logs() as logs:
            self.runner.run(run())
        self.logged += [line["event"] for line in logs]
        for prober, probes in zip(self.known, before, strict=False):
            self.began_at += [self.clock.monotonic()] * (prober.probes - probes)

    @override
    def teardown(self) -> None:
        with self.runner:
            self.runner.run(self.monitor.aclose())
            assert not self.probing
            assert self.clock.armed == 0


def test_the_monitor_keeps_its_invariants_in_random_runs() -> None:
    moderate = settings(max_examples=60, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(HealthStorm, settings=moderate)


@pytest.mark.proof
def test_the_monitor_keeps_its_invariants_in_many_random_runs() -> None:
    many = settings(max_examples=2_000, stateful_step_count=80, deadline=None)
    run_state_machine_as_test(HealthStorm, settings=many)
