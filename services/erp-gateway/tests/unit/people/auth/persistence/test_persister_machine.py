"""Sessions across stops, kills and a store that fails, against a model: what was told to be over is over."""

import asyncio
import tempfile
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import define
from employees import make_employee
from flaky_database import FlakyDatabase, Mood
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test
from session_process import SessionProcess, event
from typing_extensions import override

from erp_gateway.people.auth.persistence.persister import USES_INTERVAL_S
from erp_gateway.people.auth.sessions import OpenedSession
from erp_gateway.store.database import open_database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import AuditAction
from erp_gateway.web.session import SessionRequired
from servicekit.clock import ManualClock

TIMEOUT_S = 200.0
MAX_AGE_S = 600.0
USERS = st.sampled_from(["ana", "eva"])


@define
class Remembered:
    """State of a token in the model, in the seconds of its own clock."""

    user: str
    opened_at_s: float
    used_at_s: float
    ended: bool = False  # and its user was told so
    unsure: bool = False  # a fault came between: it may be over after a restart, or not


class Gateway:
    """One process after another on one store."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.run(self._open())

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    async def _open(self) -> None:
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.store = FlakyDatabase(
            await self.stack.enter_async_context(open_database(Path(folder) / "app.sqlite"))
        )
        await self.start()

    async def start(self) -> None:
        """Begin anew with what the store knows; the earlier process is gone as if it had been killed."""
        self.store.mood = Mood.WELL
        process = SessionProcess(
            self.store, self.clock, timeout_s=TIMEOUT_S, max_age_s=MAX_AGE_S, limit_s=0.3
        )
        self.sessions, self.recorder, self.changes = process.sessions, process.recorder, process.changes
        self.persister, self.failures = process.persister, process.failures
        await self.persister.restore()

    async def write_behind(self) -> bool:
        try:
            await self.persister.reconcile()
            await self.failures.write_behind()
        except StoreUnavailable:
            return False
        return True

    def close(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()


class KeptSessionsMachine(RuleBasedStateMachine):
    """An ended session never lives again, and none lives too long; without faults every session continues."""

    tokens: Bundle[OpenedSession] = Bundle("tokens")

    def __init__(self) -> None:
        super().__init__()
        self.gateway = Gateway()
        self.known: dict[str, Remembered] = {}
        self.last_write_s = self.now_s
        self.clock_was_set = False  # and nothing written since

    @property
    def now_s(self) -> float:
        return self.gateway.clock.monotonic()

    def is_over(self, token: str) -> bool:
        known = self.known[token]
        idle_s, age_s = self.now_s - known.used_at_s, self.now_s - known.opened_at_s
        return known.ended or idle_s >= TIMEOUT_S or age_s >= MAX_AGE_S

    @rule(target=tokens, user=USERS)
    def sign_in(self, user: str) -> Any:
        others = [
            known for token, known in self.known.items() if known.user == user and not self.is_over(token)
        ]
        well = self.gateway.store.mood is Mood.WELL
        try:
            opened: OpenedSession = self.gateway.run(
                self.gateway.changes.open(
                    make_employee(user), event(AuditAction.LOGIN, user), address="10.0.0.7"
                )
            )
        except StoreUnavailable:
            assert not well
            for known in others:
                known.unsure = True
            return self.gateway.sessions.prepare(make_employee(user))  # a token that nobody may use
        for known in others:
            known.ended = True
        unsure = not well or self.clock_was_set
        self.known[opened.token] = Remembered(user, self.now_s, self.now_s, unsure=unsure)
        return opened

    @rule(opened=tokens)
    def use(self, opened: OpenedSession) -> None:
        try:
            self.gateway.sessions.authenticate(opened.token)
        except SessionRequired:
            known = self.known.get(opened.token)
            assert known is None or self.is_over(opened.token) or known.unsure, "signed out"
            if known is not None and not known.unsure:
                known.ended = True
            return
        assert opened.token in self.known
        assert not self.is_over(opened.token), "over, and live"
        self.known[opened.token].used_at_s = self.now_s

    @rule(opened=tokens)
    def sign_out(self, opened: OpenedSession) -> None:
        if not self.gateway.sessions.close(opened.session):
            return
        result = self.gateway.run(self.gateway.changes.end(opened.session, event(AuditAction.LOGOUT)))
        assert result or self.gateway.store.mood is not Mood.WELL
        self.known[opened.token].ended = result
        self.known[opened.token].unsure = True

    @rule(seconds=st.sampled_from([1.0, 25.0, 60.0, 150.0]))
    def wait(self, seconds: float) -> None:
        self.gateway.clock.advance(seconds)
        if self.now_s - self.last_write_s >= USES_INTERVAL_S and self.gateway.run(
            self.gateway.write_behind()
        ):
            self.last_write_s = self.now_s

    @rule(mood=st.sampled_from(Mood))
    def store_becomes(self, mood: Mood) -> None:
        self.gateway.store.mood = mood
        if mood is Mood.WELL:
            self.gateway.run(self.gateway.recorder.write_pending())

    @rule(down_s=st.sampled_from([0.5, 20.0, 190.0]))
    def stop_and_start(self, down_s: float) -> None:
        written = self.gateway.run(self.gateway.write_behind())
        self.begin_anew(down_s, lost=not written)

    @rule(down_s=st.sampled_from([0.5, 20.0, 190.0]))
    def kill_and_start(self, down_s: float) -> None:
        self.begin_anew(down_s, lost=True)

    @rule(by=st.sampled_from([timedelta(days=1), -timedelta(days=1)]))
    def set_the_clock(self, by: timedelta) -> None:
        clock = self.gateway.clock
        clock.set_wall_clock(clock.now() + by)
        for known in self.known.values():
            known.unsure = True  # nobody may live longer, but many will have to sign in again
        self.clock_was_set = True

    def begin_anew(self, down_s: float, *, lost: bool) -> None:
        """Forget what a process that was killed had not written: the uses since the last time."""
        if lost:
            for known in self.known.values():
                if known.used_at_s >= self.last_write_s:
                    # so it may be over sooner, by as much as was not written
                    known.unsure = known.unsure or self.now_s + down_s - self.last_write_s >= TIMEOUT_S / 2
        self.gateway.clock.advance(down_s)
        self.gateway.run(self.gateway.start())
        self.last_write_s = self.now_s
        self.clock_was_set = False

    @override
    def teardown(self) -> None:
        self.gateway.close()


@pytest.mark.timeout(300)
def test_ended_sessions_stay_ended_and_live_ones_continue() -> None:
    run_state_machine_as_test(
        KeptSessionsMachine, settings=settings(max_examples=25, stateful_step_count=25, deadline=None)
    )


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_ended_sessions_stay_ended_and_live_ones_continue_in_many_sequences() -> None:
    run_state_machine_as_test(
        KeptSessionsMachine, settings=settings(max_examples=600, stateful_step_count=60, deadline=None)
    )
