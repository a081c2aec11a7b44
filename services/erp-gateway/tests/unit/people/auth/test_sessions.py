"""Web sessions: one token per user, a sliding timeout on a clock that never jumps, digests only."""

import gc
import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import attrs
import pytest
from employees import PASSWORD, make_employee

from erp_gateway.people.auth.sessions import WebSessionStore, new_token
from erp_gateway.web.session import SessionExpired, SessionReplaced, SessionRequired
from servicekit.clock import ManualClock
from servicekit.config import Secret

TIMEOUT_S = 1800.0


def make_store(clock: ManualClock, *, capacity: int = 100, max_age_s: float | None = None) -> WebSessionStore:
    return WebSessionStore(
        timeout_s=TIMEOUT_S,
        max_age_s=max_age_s,
        clock=clock,
        timezone=ZoneInfo("America/Santiago"),
        capacity=capacity,
    )


@pytest.fixture
def store(clock: ManualClock) -> WebSessionStore:
    return make_store(clock)


def test_a_token_has_256_random_bits() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in tokens)


def test_a_token_belongs_to_the_employee_who_signed_in(store: WebSessionStore, clock: ManualClock) -> None:
    opened = store.open(make_employee())
    session = store.authenticate(opened.token)
    assert session == opened.session
    assert (session.user.name, session.user.employee_id, session.user.full_name) == ("ana", 7, "Ana Rojas")
    assert session.signed_in_at == clock.now()


def test_the_timeout_slides_with_every_request(store: WebSessionStore, clock: ManualClock) -> None:
    token = store.open(make_employee()).token
    for _ in range(5):
        clock.advance(TIMEOUT_S - 1)
        store.authenticate(token)
    clock.advance(TIMEOUT_S)
    with pytest.raises(SessionExpired):
        store.authenticate(token)
    assert len(store) == 0


def test_a_wall_clock_jump_neither_ends_nor_extends_a_session(
    store: WebSessionStore, clock: ManualClock
) -> None:
    token = store.open(make_employee()).token
    clock.set_wall_clock(clock.now() + timedelta(hours=2))
    store.authenticate(token)
    clock.set_wall_clock(clock.now() - timedelta(hours=4))
    store.authenticate(token)
    clock.advance(TIMEOUT_S)
    with pytest.raises(SessionExpired):
        store.authenticate(token)


def test_a_presence_lasts_through_a_new_login_and_ends_with_the_session(
    store: WebSessionStore, clock: ManualClock
) -> None:
    assert store.find_presence("ana") is None
    store.open(make_employee())
    presence = store.find_presence("ana")
    assert presence is not None

    store.open(make_employee())
    assert store.find_presence("ana") == presence

    clock.advance(TIMEOUT_S)
    assert store.find_presence("ana") is None
    store.open(make_employee())
    assert store.find_presence("ana") not in (None, presence)


def test_a_new_login_replaces_the_earlier_token_and_names_the_time(
    store: WebSessionStore, clock: ManualClock
) -> None:
    first = store.open(make_employee()).token
    clock.advance(60)
    second = store.open(make_employee()).token

    with pytest.raises(SessionReplaced) as caught:
        store.authenticate(first)
    assert caught.value.detail == (
        "Su sesión se cerró porque se inició otra con su mismo usuario "
        "el 02-03-2026 a las 11:06."  # 14:06 UTC
    )
    assert store.authenticate(second).user.name == "ana"
    assert len(store) == 1


def test_a_replaced_token_is_forgotten_when_it_would_have_expired(
    store: WebSessionStore, clock: ManualClock
) -> None:
    first = store.open(make_employee()).token
    store.open(make_employee())
    clock.advance(TIMEOUT_S)
    with pytest.raises(SessionExpired):
        store.authenticate(first)


def test_a_replaced_token_is_forgotten_while_the_newer_session_continues(clock: ManualClock) -> None:
    store = make_store(clock, max_age_s=2 * TIMEOUT_S)
    first, second = (store.open(make_employee()).token for _ in range(2))
    clock.advance(TIMEOUT_S / 2)
    third = store.open(make_employee()).token
    clock.advance(TIMEOUT_S / 2)
    store.authenticate(third)
    with pytest.raises(SessionExpired):
        store.authenticate(first)
    with pytest.raises(SessionReplaced):
        store.authenticate(second)


def test_names_that_differ_in_case_are_different_users(store: WebSessionStore) -> None:
    lower, upper = store.open(make_employee("ana")).token, store.open(make_employee("Ana")).token
    assert store.authenticate(lower).user.name == "ana"
    assert store.authenticate(upper).user.name == "Ana"


def test_a_closed_session_stays_closed(store: WebSessionStore) -> None:
    opened = store.open(make_employee())
    store.close(opened.session)
    store.close(opened.session)
    with pytest.raises(SessionExpired):
        store.authenticate(opened.token)


def test_closing_a_replaced_session_leaves_the_new_one(store: WebSessionStore) -> None:
    first, second = store.open(make_employee()), store.open(make_employee())
    store.close(first.session)
    assert store.authenticate(second.token) == second.session


@pytest.mark.parametrize(
    "token", ["", "x", "x" * 42, "x" * 44, "x" * 42 + "=", "x" * 42 + "ñ", " " + "x" * 43]
)
def test_a_malformed_token_requires_a_sign_in(store: WebSessionStore, token: str) -> None:
    with pytest.raises(SessionRequired) as caught:
        store.authenticate(token)
    assert caught.value.code == "session_required"


def test_a_token_of_an_earlier_process_counts_as_expired(store: WebSessionStore) -> None:
    with pytest.raises(SessionExpired):
        store.authenticate(new_token())


def test_memory_is_bounded_and_the_least_used_session_ends_first(clock: ManualClock) -> None:
    store = make_store(clock, capacity=3)
    tokens = {user: store.open(make_employee(user)).token for user in ("a", "b", "c")}
    store.authenticate(tokens["a"])
    store.open(make_employee("d"))

    assert len(store) == 3
    with pytest.raises(SessionExpired):
        store.authenticate(tokens["b"])
    assert store.authenticate(tokens["a"]).user.name == "a"


def test_replaced_tokens_are_bounded_too(clock: ManualClock) -> None:
    store = make_store(clock, capacity=3)
    tokens = [store.open(make_employee()).token for _ in range(6)]
    kinds = []
    for token in tokens[:-1]:
        with pytest.raises(SessionRequired) as caught:
            store.authenticate(token)
        kinds.append(caught.value.code)
    assert kinds == ["session_expired"] * 2 + ["session_replaced"] * 3


def test_the_token_itself_is_not_stored(store: WebSessionStore) -> None:
    token = store.open(make_employee()).token
    store.authenticate(token)
    reachable = gc.get_referrers(token)
    assert all(referrer is not store for referrer in reachable)
    assert token not in repr(attrs.asdict(store, recurse=False))
    assert PASSWORD not in repr(attrs.asdict(store, recurse=False))


def test_the_repr_of_a_session_has_no_token(store: WebSessionStore) -> None:
    opened = store.open(make_employee())
    assert opened.token not in repr(opened)
    assert repr(opened.session.token_digest) not in repr(opened)
    assert repr(opened.password_fingerprint) not in repr(opened)


def test_a_session_ends_at_its_maximum_age_even_if_used(clock: ManualClock) -> None:
    store = make_store(clock, max_age_s=2 * TIMEOUT_S)
    first = store.open(make_employee("ana")).token
    clock.advance(10)
    second = store.open(make_employee("eva")).token
    for _ in range(3):
        clock.advance(TIMEOUT_S / 2)
        store.authenticate(first)
        store.authenticate(second)
    clock.advance(TIMEOUT_S / 2 - 10)
    with pytest.raises(SessionExpired):
        store.authenticate(first)
    assert store.authenticate(second).user.name == "eva"
    clock.advance(10)
    assert len(store) == 0


def test_a_new_login_starts_a_new_age(clock: ManualClock) -> None:
    store = make_store(clock, max_age_s=100.0)
    store.open(make_employee("ana"))
    clock.advance(60)
    store.open(make_employee("eva"))
    token = store.open(make_employee("ana")).token
    clock.advance(60)
    assert store.authenticate(token).user.name == "ana"
    assert store.expires_in_s == 100.0
    clock.advance(40)
    assert len(store) == 0


def test_live_sessions_are_listed_by_name_with_their_times(clock: ManualClock) -> None:
    store = make_store(clock, max_age_s=TIMEOUT_S + 60)
    eva = store.open(make_employee("eva"))
    clock.advance(40)
    ana = store.open(make_employee("ana"))
    clock.advance(30)
    store.authenticate(eva.token)
    clock.advance(5)
    now = clock.now()
    observed = [(live.session, live.used_at, live.expires_at) for live in store.list_live()]
    assert observed == [
        (ana.session, now - timedelta(seconds=35), now + timedelta(seconds=TIMEOUT_S - 35)),
        (eva.session, now - timedelta(seconds=5), now + timedelta(seconds=TIMEOUT_S + 60 - 75)),
    ]
    assert store.find("ana") == ana.session
    assert store.find("Ana") is None
    clock.advance(TIMEOUT_S)
    assert store.find("ana") is None
    assert store.list_live() == ()


def test_a_recheck_is_due_once_per_interval(store: WebSessionStore, clock: ManualClock) -> None:
    session = store.open(make_employee()).session
    clock.advance(899.5)
    assert not store.start_recheck(session, 900.0)
    clock.advance(0.5)
    assert store.start_recheck(session, 900.0)
    assert not store.start_recheck(session, 900.0)
    clock.advance(899)
    assert not store.start_recheck(session, 900.0)
    assert store.close(session)
    assert not store.close(session)
    assert not store.start_recheck(session, 900.0)


def test_restored_sessions_keep_their_times(clock: ManualClock) -> None:
    earlier, store = (make_store(clock, max_age_s=TIMEOUT_S + 60) for _ in range(2))
    ana = earlier.open(make_employee("ana"))
    clock.advance(100)
    eva = earlier.open(make_employee("eva"))
    clock.advance(50)
    earlier.authenticate(ana.token)
    clock.advance(10)
    store.restore(
        [
            (ana.session, ana.password_fingerprint, 10.0, 160.0),
            (eva.session, eva.password_fingerprint, 60.0, 60.0),
        ]
    )
    assert store.list_live() == earlier.list_live()
    assert [store.look_up(each.session.token_digest) for each in (ana, eva)] == list(store.list_live())
    assert store.uses() == {
        ana.session.token_digest: clock.now() - timedelta(seconds=10),
        eva.session.token_digest: clock.now() - timedelta(seconds=60),
    }
    assert store.start_recheck(ana.session, 1e9), "nobody here has looked at the employee yet"
    assert store.find("eva") == eva.session
    assert store.is_live(eva.session.token_digest)
    clock.advance(TIMEOUT_S - 100)
    assert [live.session for live in store.list_live()] == [eva.session], "the other is too old"
    clock.advance(40)
    assert store.uses() == {}
    assert store.look_up(eva.session.token_digest) is None
    assert not store.is_live(eva.session.token_digest)


def test_above_capacity_the_last_used_sessions_are_restored(clock: ManualClock) -> None:
    store = make_store(clock, capacity=2)
    opened = [store.prepare(make_employee(user)) for user in ("ana", "eva", "leo")]
    idle_s = (30.0, 10.0, 20.0)
    store.restore(
        [(each.session, each.password_fingerprint, s, 40.0) for each, s in zip(opened, idle_s, strict=True)]
    )
    assert [live.session.user.name for live in store.list_live()] == ["eva", "leo"]
    clock.advance(TIMEOUT_S - 20)
    assert [live.session.user.name for live in store.list_live()] == ["eva"], "used last, ends last"


def test_a_changed_password_is_detected_after_the_login(store: WebSessionStore) -> None:
    session = store.open(make_employee()).session
    assert store.is_same_password(session, Secret(PASSWORD))
    assert not store.is_same_password(session, Secret("another"))


def test_a_restored_session_detects_a_changed_password_after_its_first_request(
    store: WebSessionStore,
) -> None:
    opened = store.prepare(make_employee())
    same, other = Secret(PASSWORD), Secret("another")
    assert store.is_same_password(opened.session, other), "it is over, or has not begun"
    store.restore([(opened.session, opened.password_fingerprint, 0.0, 0.0)])
    assert store.is_same_password(opened.session, other), "nobody can tell yet"
    store.authenticate(opened.token)
    assert store.is_same_password(opened.session, same)
    assert not store.is_same_password(opened.session, other)
