"""Which sessions a new process believes: never for longer than without the restart."""

from datetime import UTC, datetime, timedelta

import pytest
from employees import make_user
from hypothesis import assume, given
from hypothesis import strategies as st

from erp_gateway.people.auth.persistence.restoring import TOLERANCE, RestorePlan, plan_restore
from erp_gateway.people.auth.persistence.rows import StoredSession
from erp_gateway.web.session import WebSession

NOW = datetime(2026, 3, 2, 14, 0, tzinfo=UTC)
TIMEOUT_S = 1800.0


def stored(used_ago_s: float, signed_in_ago_s: float | None = None, web_user: str = "ana") -> StoredSession:
    age_s = used_ago_s if signed_in_ago_s is None else signed_in_ago_s
    session = WebSession(
        user=make_user(web_user),
        signed_in_at=NOW - timedelta(seconds=age_s),
        token_digest=b"d",
    )
    return StoredSession(
        session=session, password_fingerprint=b"m", used_at=NOW - timedelta(seconds=used_ago_s)
    )


def plan(
    *sessions: StoredSession, written_ago_s: float | None = 0.0, max_age_s: float | None = None
) -> RestorePlan:
    written_at = None if written_ago_s is None else NOW - timedelta(seconds=written_ago_s)
    return plan_restore(sessions, written_at=written_at, now=NOW, timeout_s=TIMEOUT_S, max_age_s=max_age_s)


def test_a_session_continues_where_it_stopped() -> None:
    result = plan(stored(60, 600))
    assert [(each.idle_s, each.age_s) for each in result.restorable] == [(60.0, 600.0)]
    assert (result.ended, result.clock_went_back) == (0, False)


@pytest.mark.parametrize("web_user", ["cli", "Recheck", "erp_gateway:x"])
def test_a_session_of_a_reserved_name_ends(web_user: str) -> None:
    result = plan(stored(60), stored(60, web_user=web_user))
    assert [each.stored.session.user.name for each in result.restorable] == ["ana"]
    assert result.ended == 1


@pytest.mark.parametrize(("used_ago_s", "goes_on"), [(TIMEOUT_S - 0.001, True), (TIMEOUT_S, False)])
def test_time_without_a_process_counts_as_idle(used_ago_s: float, goes_on: bool) -> None:
    result = plan(stored(used_ago_s), written_ago_s=None)
    assert (len(result.restorable), result.ended) == ((1, 0) if goes_on else (0, 1))


@pytest.mark.parametrize(("age_s", "goes_on"), [(99.0, True), (100.0, False)])
def test_the_maximum_age_holds_across_a_restart(age_s: float, goes_on: bool) -> None:
    assert bool(plan(stored(1, age_s), max_age_s=100.0).restorable) is goes_on


@pytest.mark.parametrize("which", ["written", "used"])
def test_a_clock_set_back_ends_all_sessions(which: str) -> None:
    ahead_s = -(TOLERANCE.total_seconds() + 0.001)
    sessions = [stored(60), stored(ahead_s if which == "used" else 60)]
    result = plan(*sessions, written_ago_s=ahead_s if which == "written" else None)
    assert result == RestorePlan(restorable=(), ended=2, clock_went_back=True)


def test_a_slightly_late_clock_adds_the_tolerance_to_idle_times() -> None:
    (only,) = plan(stored(60), written_ago_s=-2.0).restorable
    assert only.idle_s == 60 + TOLERANCE.total_seconds()
    assert plan(stored(TIMEOUT_S - 4), written_ago_s=-2.0).restorable == []


@given(
    idle_s=st.floats(0, 4000),
    down_s=st.floats(0, 4000),
    skew_s=st.floats(-5, 4000),
    behind_s=st.floats(0, 30),
)
def test_no_session_is_ever_extended(idle_s: float, down_s: float, skew_s: float, behind_s: float) -> None:
    """Its last use `idle_s` before the end of the old process; the new one's clock is `skew_s` ahead."""
    assume(idle_s >= behind_s)  # the last use that was written is older than the real one
    ended_at = NOW - timedelta(seconds=down_s + skew_s)  # as the old process' clock showed it
    session = stored(down_s + skew_s + idle_s)
    result = plan_restore(
        [session],
        written_at=ended_at - timedelta(seconds=behind_s),
        now=NOW,
        timeout_s=TIMEOUT_S,
        max_age_s=None,
    )
    really_idle_s = idle_s + down_s
    slack_s = 0.001
    if skew_s >= 0:
        assert all(each.idle_s >= really_idle_s - slack_s for each in result.restorable)
        assert not result.restorable or really_idle_s < TIMEOUT_S + slack_s
    else:  # another machine, a little late: as late as it may be, at most
        assert all(each.idle_s >= really_idle_s + skew_s - slack_s for each in result.restorable)
