"""Two processes, one lock, and everything that can happen to them: never two that send."""

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from memory_lock import LockServer, MemoryLock
from typing_extensions import override

from erp_gateway.store.standby.lease import LeaseState, TenureRules
from erp_gateway.store.standby.watch import LockWatch
from servicekit.clock import ManualClock

RULES = TenureRules()
STEP_S = 0.05


class Process:
    """A process whose sleeps end when the machine's clock says so, unless it is frozen."""

    def __init__(self, server: LockServer, clock: ManualClock) -> None:
        self.clock = clock
        self.frozen = False
        self.lock = MemoryLock(server)
        self.watch = LockWatch(self.lock, clock, sleep=self.sleep)
        self.task = asyncio.create_task(self.live())

    async def sleep(self, seconds: float) -> None:
        until = self.clock.monotonic() + seconds
        while self.clock.monotonic() < until or self.frozen:  # noqa: ASYNC110 - the clock signals nothing
            await asyncio.sleep(0)

    async def live(self) -> None:
        await self.watch.wait_for_lock()
        await self.watch.watch()

    @property
    def is_over(self) -> bool:
        return self.task.done()


class StandbyMachine(RuleBasedStateMachine):
    """At every moment each process that runs tries to send; the model remembers who did, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.server = LockServer()
        self.sent: dict[Process, tuple[float, float]] = {}  # the first and the last time
        self.processes: list[Process] = []
        self.run(self.start(2))

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        self.runner.run(work)

    async def start(self, count: int) -> None:
        self.processes += [Process(self.server, self.clock) for _ in range(count)]
        await self.settle()

    async def settle(self) -> None:
        for _ in range(8):
            await asyncio.sleep(0)

    async def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.clock.advance(STEP_S)
            await self.settle()
            for process in self.processes:
                if not process.frozen and not process.is_over and await process.watch.may_send():
                    self.note(process)

    def note(self, process: Process) -> None:
        now = self.clock.monotonic()
        first_s, _ = self.sent.get(process, (now, now))
        for other, (_, last_s) in self.sent.items():
            assert other is process or last_s < first_s, "two that send"
        self.sent[process] = (first_s, now)

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.0, 3.0, 31.0]))
    def wait(self, seconds: float) -> None:
        self.run(self.pass_time(seconds))

    @rule(which=st.integers(0, 1))
    def freeze_or_thaw(self, which: int) -> None:
        process = self.processes[which]
        process.frozen = not process.frozen

    @rule()
    def frozen_holder_loses_the_lock(self) -> None:
        holder = self.server.holder
        if any(process.lock is holder and process.frozen for process in self.processes):
            self.server.free()

    @rule(says_so=st.booleans())
    def connections_are_cut(self, says_so: bool) -> None:
        self.server.free(says_so=says_so)

    @rule(which=st.integers(0, 1))
    def one_alone_is_refused_or_reaches_it_again(self, which: int) -> None:
        lock = self.processes[which].lock
        self.server.refused ^= {lock}
        if self.server.holder is lock:
            self.server.free()

    @rule(which=st.integers(0, 1))
    def answers_stay_away_or_come_again(self, which: int) -> None:
        self.server.cut ^= {self.processes[which].lock}

    @rule()
    def silent_holder_loses_the_lock(self) -> None:
        if self.server.holder in self.server.cut:
            self.server.free()

    @rule()
    def server_goes_away(self) -> None:
        if self.server.is_up:
            self.server.go_away()

    @rule()
    def server_comes_back(self) -> None:
        self.server.is_up = True

    @rule(which=st.integers(0, 1))
    def kill(self, which: int) -> None:
        self.run(self._kill(which))

    @rule(which=st.integers(0, 1))
    def hand_over(self, which: int) -> None:
        process = self.processes[which]
        if not process.frozen:
            self.run(process.watch.release())
            self.run(self._kill(which))

    async def _kill(self, which: int) -> None:
        process = self.processes[which]
        process.task.cancel()
        await asyncio.gather(process.task, return_exceptions=True)
        if self.server.holder is process.lock:
            self.server.free()
        self.processes[which] = Process(self.server, self.clock)
        await self.settle()

    @override
    def teardown(self) -> None:
        async def end() -> None:
            for process in self.processes:
                process.task.cancel()
            await asyncio.gather(*(process.task for process in self.processes), return_exceptions=True)

        self.run(end())
        self.runner.close()


@pytest.mark.timeout(300)
def test_two_processes_never_send_at_once() -> None:
    run_state_machine_as_test(
        StandbyMachine, settings=settings(max_examples=15, stateful_step_count=15, deadline=None)
    )


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_two_processes_never_send_at_once_in_many_sequences() -> None:
    run_state_machine_as_test(
        StandbyMachine, settings=settings(max_examples=500, stateful_step_count=40, deadline=None)
    )


def test_the_standby_serves_after_the_first_process_ends_and_each_reports_its_state() -> None:
    machine = StandbyMachine()
    try:
        machine.wait(3.0)
        first, second = machine.processes
        assert [first.watch.state, second.watch.state] == [LeaseState.SERVING, LeaseState.STANDBY]
        machine.server.free()  # its connection ended, and it does not run
        first.frozen = True
        machine.wait(3.0)
        assert second.watch.state is LeaseState.SERVING
        first.frozen = False
        machine.wait(0.5)
        assert first.watch.state is LeaseState.LOST
        assert first.watch.lost.is_set()
    finally:
        machine.teardown()


@pytest.mark.parametrize("ending", ["hand_over", "kill"])
def test_a_released_lock_needs_no_pause_and_a_lost_one_does(ending: str) -> None:
    machine = StandbyMachine()
    try:
        machine.wait(3.0)
        ended_at_s = machine.clock.monotonic()
        getattr(machine, ending)(0)
        machine.wait(3.0)
        gap_s = max(first_s for first_s, _ in machine.sent.values()) - ended_at_s
        pause_s = RULES.pause_s if ending == "kill" else 0.0
        assert pause_s <= gap_s < pause_s + 0.3
    finally:
        machine.teardown()


def test_a_server_that_stays_down_ends_the_serving_process_after_the_grace_period() -> None:
    machine = StandbyMachine()
    try:
        machine.wait(3.0)
        first = machine.processes[0]
        machine.server_goes_away()
        machine.wait(RULES.grace_s - 2)
        assert first.watch.state is LeaseState.SERVING
        assert machine.sent[first][1] == machine.clock.monotonic()
        machine.wait(3.0)
        assert first.watch.state.value == "lost"
    finally:
        machine.teardown()


def test_a_silent_server_stops_calls_at_once() -> None:
    machine = StandbyMachine()
    try:
        machine.wait(3.0)
        first = machine.processes[0]
        machine.answers_stay_away_or_come_again(0)
        cut_at_s = machine.clock.monotonic()
        machine.wait(3.0)
        assert machine.sent[first][1] - cut_at_s < RULES.trust_s
        assert first.watch.state is LeaseState.SERVING
        machine.answers_stay_away_or_come_again(0)
        machine.wait(1.0)
        assert machine.sent[first][1] == machine.clock.monotonic()
    finally:
        machine.teardown()


def test_a_process_that_is_cut_off_stops_calls_and_the_other_one_serves() -> None:
    machine = StandbyMachine()
    try:
        machine.wait(3.0)
        first, second = machine.processes
        machine.one_alone_is_refused_or_reaches_it_again(0)
        refused_at_s = machine.clock.monotonic()
        machine.wait(3.0)
        assert machine.sent[first][1] - refused_at_s < RULES.trust_s
        assert second.watch.state is LeaseState.SERVING
        machine.one_alone_is_refused_or_reaches_it_again(0)
        machine.wait(1.0)
        assert first.watch.state is LeaseState.LOST
    finally:
        machine.teardown()


def test_a_frozen_process_does_not_assume_that_the_server_was_down_throughout() -> None:
    machine = StandbyMachine()
    try:
        machine.wait(3.0)
        first, second = machine.processes
        machine.freeze_or_thaw(0)
        machine.server_goes_away()
        machine.server_comes_back()
        machine.wait(3.0)
        assert second.watch.state is LeaseState.SERVING
        machine.server_goes_away()
        machine.freeze_or_thaw(0)
        machine.wait(3.0)  # the other one goes on, since nobody could have got its lock
        assert machine.sent[second][1] == machine.clock.monotonic()
        machine.server_comes_back()
        machine.wait(1.0)
        assert [first.watch.state, second.watch.state] == [LeaseState.LOST, LeaseState.SERVING]
    finally:
        machine.teardown()


@pytest.mark.parametrize("steps", range(10))  # as many as between two questions of the one that serves
def test_a_lock_lost_during_the_pause_is_acquired_again_with_a_new_pause(steps: int) -> None:
    machine = StandbyMachine()
    try:
        machine.wait(3.0 + steps * STEP_S)
        machine.server.free(says_so=True)
        machine.wait(2 * STEP_S)
        machine.server_goes_away()
        machine.wait(RULES.pause_s - 4 * STEP_S)
        machine.server_comes_back()
        machine.wait(3.0)
        assert [each.watch.state for each in machine.processes].count(LeaseState.SERVING) == 1
    finally:
        machine.teardown()
