"""Decide which stored sessions continue after a restart."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from erp_gateway.people.auth.persistence.rows import KeptSession
from erp_gateway.values.user_names import is_reserved

TOLERANCE: Final = timedelta(seconds=5)
"""By how much two machines' clocks may differ, or one be put right, without everybody signing in again."""


@frozen(kw_only=True)
class Believed:
    """A session that goes on.

    Attributes:
        kept: what was stored of it.
        idle_s: seconds since its last use, rather too many than too few.
        age_s: seconds since its login, likewise.
    """

    kept: KeptSession
    idle_s: float
    age_s: float


@frozen(kw_only=True)
class Judgement:
    """What became of all stored sessions.

    Attributes:
        believed: those that go on.
        lapsed: how many do not.
        clock_went_back: whether that is because the clock shows less than when they were written.
    """

    believed: Sequence[Believed]
    lapsed: int
    clock_went_back: bool = False


def judge(
    sessions: Sequence[KeptSession],
    *,
    written_at: datetime | None,
    now: datetime,
    timeout_s: float,
    max_age_s: float | None,
) -> Judgement:
    """Decide which sessions go on: none for longer than it would have without the restart.

    A clock that was set forward ends sessions sooner. One that shows less than the latest time that was
    written was set back, and nobody knows for how long the sessions were unused: all of them end. Within
    `TOLERANCE` it may be another machine's, and is believed to be late by as much as that.

    Args:
        sessions: what is stored.
        written_at: when a process wrote last.
        now: the wall clock.
        timeout_s: seconds without a use after which a session ends.
        max_age_s: seconds after its login when it ends in any case; None: never.
    """
    seen = [kept.used_at for kept in sessions] + ([] if written_at is None else [written_at])
    latest = max(seen, default=now)
    if latest - now > TOLERANCE:
        return Judgement(believed=(), lapsed=len(sessions), clock_went_back=True)
    if now < latest:
        now += TOLERANCE
    believed = []
    for kept in sessions:
        if is_reserved(kept.session.web_user):  # an earlier version let such a name sign in
            continue
        idle_s = (now - kept.used_at).total_seconds()
        age_s = max(idle_s, (now - kept.session.signed_in_at).total_seconds())
        if idle_s < timeout_s and (max_age_s is None or age_s < max_age_s):
            believed.append(Believed(kept=kept, idle_s=idle_s, age_s=age_s))
    return Judgement(believed=believed, lapsed=len(sessions) - len(believed))
