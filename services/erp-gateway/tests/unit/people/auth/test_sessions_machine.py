"""Sessions against a model that simply remembers everything that ever happened."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from employees import make_employee
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from erp_gateway.people.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.web.session import SessionExpired, SessionReplaced
from servicekit.clock import ManualClock

TIMEOUT_S = 100.0
MAX_AGE_S = 250.0
USERS = st.sampled_from(["ana", "bea", "carla"])


class SessionsMachine(RuleBasedStateMachine):
    """The model: for each token its user, its last use, and how and when it ended."""

    tokens: Bundle[OpenedSession] = Bundle("tokens")

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.store = WebSessionStore(
            timeout_s=TIMEOUT_S,
            max_age_s=MAX_AGE_S,
            clock=self.clock,
            timezone=ZoneInfo("UTC"),
        )
        self.user: dict[str, str] = {}
        self.opened_at: dict[str, float] = {}
        self.used_at: dict[str, float] = {}
        self.replaced_at: dict[str, float] = {}
        self.closed: set[str] = set()

    def is_live(self, token: str) -> bool:
        now = self.clock.monotonic()
        expired = now - self.used_at[token] >= TIMEOUT_S or now - self.opened_at[token] >= MAX_AGE_S
        return not expired and token not in self.replaced_at and token not in self.closed

    @rule(target=tokens, user=USERS)
    def open(self, user: str) -> OpenedSession:
        opened = self.store.open(make_employee(user))
        for token, owner in self.user.items():
            if owner == user and self.is_live(token):
                self.replaced_at[token] = self.clock.monotonic()
        self.user[opened.token] = user
        self.opened_at[opened.token] = self.used_at[opened.token] = self.clock.monotonic()
        return opened

    @rule(opened=tokens)
    def use(self, opened: OpenedSession) -> None:
        token = opened.token
        if self.is_live(token):
            assert self.store.authenticate(token).user.name == self.user[token]
            self.used_at[token] = self.clock.monotonic()
            return
        replaced_at = self.replaced_at.get(token)
        remembered = replaced_at is not None and self.clock.monotonic() - replaced_at < TIMEOUT_S
        with pytest.raises(SessionReplaced if remembered else SessionExpired):
            self.store.authenticate(token)

    @rule(opened=tokens)
    def close(self, opened: OpenedSession) -> None:
        was_live = self.is_live(opened.token)
        assert self.store.close(opened.session) is was_live
        if was_live:
            self.closed.add(opened.token)

    @rule(seconds=st.sampled_from([1.0, 40.0, 60.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @invariant()
    def exactly_the_live_sessions_are_held(self) -> None:
        live = [token for token in self.user if self.is_live(token)]
        assert len(self.store) == len(live)
        assert sorted(self.user[token] for token in live) == [
            each.session.user.name for each in self.store.list_live()
        ]


def test_sessions_behave_as_the_model() -> None:
    run_state_machine_as_test(SessionsMachine, settings=settings(max_examples=60, deadline=None))


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_sessions_behave_as_the_model_for_long() -> None:
    run_state_machine_as_test(
        SessionsMachine, settings=settings(max_examples=3000, stateful_step_count=100, deadline=None)
    )
