"""Which sessions a new process believes: never for longer than without the restart."""

from datetime import UTC, datetime, timedelta

import pytest
from employees import make_user
from hypothesis import assume, given
from hypothesis import strategies as st

from erp_gateway.people.auth.persistence.restoring import TOLERANCE, Judgement, judge
from erp_gateway.people.auth.persistence.rows import KeptSession
from erp_gateway.web.session import WebSession

NOW = datetime(2026, 3, 2, 14, 0, tzinfo=UTC)
TIMEOUT_S = 1800.0


def kept(used_ago_s: float, signed_in_ago_s: float | None = None, web_user: str = "ana") -> KeptSession:
    age_s = used_ago_s if signed_in_ago_s is None else signed_in_ago_s
    session = WebSession(
        user=make_user(web_user),
        signed_in_at=NOW - timedelta(seconds=age_s),
        token_digest=b"d",
    )
    return KeptSession(session=session, password_mark=b"m", used_at=NOW - timedelta(seconds=used_ago_s))


def judged(
    *sessions: KeptSession, written_ago_s: float | None = 0.0, max_age_s: float | None = None
) -> Judgement:
    written_at = None if written_ago_s is None else NOW - timedelta(seconds=written_ago_s)
    return judge(sessions, written_at=written_at, now=NOW, timeout_s=TIMEOUT_S, max_age_s=max_age_s)


def test_a_session_goes_on_where_it_stopped() -> None:
    found = judged(kept(60, 600))
    assert [(each.idle_s, each.age_s) for each in found.believed] == [(60.0, 600.0)]
    assert (found.lapsed, found.clock_went_back) == (0, False)


@pytest.mark.parametrize("web_user", ["cli", "Recheck", "erp_gateway:x"])
def test_a_session_that_an_earlier_version_gave_a_name_of_the_service_ends(web_user: str) -> None:
    found = judged(kept(60), kept(60, web_user=web_user))
    assert [each.kept.session.web_user for each in found.believed] == ["ana"]
    assert found.lapsed == 1


@pytest.mark.parametrize(("used_ago_s", "goes_on"), [(TIMEOUT_S - 0.001, True), (TIMEOUT_S, False)])
def test_the_time_without_a_process_counts_as_unused(used_ago_s: float, goes_on: bool) -> None:
    found = judged(kept(used_ago_s), written_ago_s=None)
    assert (len(found.believed), found.lapsed) == ((1, 0) if goes_on else (0, 1))


@pytest.mark.parametrize(("age_s", "goes_on"), [(99.0, True), (100.0, False)])
def test_the_greatest_age_holds_across_a_restart(age_s: float, goes_on: bool) -> None:
    assert bool(judged(kept(1, age_s), max_age_s=100.0).believed) is goes_on


@pytest.mark.parametrize("which", ["written", "used"])
def test_a_clock_that_was_set_back_ends_all_sessions(which: str) -> None:
    ahead_s = -(TOLERANCE.total_seconds() + 0.001)
    sessions = [kept(60), kept(ahead_s if which == "used" else 60)]
    found = judged(*sessions, written_ago_s=ahead_s if which == "written" else None)
    assert found == Judgement(believed=(), lapsed=2, clock_went_back=True)


def test_a_clock_a_little_late_is_believed_to_be_as_late_as_it_may_be() -> None:
    (only,) = judged(kept(60), written_ago_s=-2.0).believed
    assert only.idle_s == 60 + TOLERANCE.total_seconds()
    assert judged(kept(TIMEOUT_S - 4), written_ago_s=-2.0).believed == []


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
    session = kept(down_s + skew_s + idle_s)
    found = judge(
        [session],
        written_at=ended_at - timedelta(seconds=behind_s),
        now=NOW,
        timeout_s=TIMEOUT_S,
        max_age_s=None,
    )
    really_idle_s = idle_s + down_s
    slack_s = 0.001
    if skew_s >= 0:
        assert all(each.idle_s >= really_idle_s - slack_s for each in found.believed)
        assert not found.believed or really_idle_s < TIMEOUT_S + slack_s
    else:  # another machine, a little late: as late as it may be, at most
        assert all(each.idle_s >= really_idle_s + skew_s - slack_s for each in found.believed)
