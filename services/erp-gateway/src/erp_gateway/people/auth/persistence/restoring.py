"""Decide which stored sessions continue after a restart."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from erp_gateway.people.auth.persistence.rows import StoredSession
from erp_gateway.values.user_names import is_reserved

TOLERANCE: Final = timedelta(seconds=5)
"""Largest difference between two machines' clocks, or clock correction, that does not end all sessions."""


@frozen(kw_only=True)
class RestorableSession:
    """A session that continues.

    Attributes:
        stored: the stored session.
        idle_s: seconds since its last use, overestimated if in doubt.
        age_s: seconds since its login, overestimated if in doubt.
    """

    stored: StoredSession
    idle_s: float
    age_s: float


@frozen(kw_only=True)
class RestorePlan:
    """The sessions that continue after a restart.

    Attributes:
        restorable: the sessions that continue.
        ended: number of the other stored sessions.
        clock_went_back: True if all ended because the clock is behind the time of the last write.
    """

    restorable: Sequence[RestorableSession]
    ended: int
    clock_went_back: bool = False


def plan_restore(
    sessions: Sequence[StoredSession],
    *,
    written_at: datetime | None,
    now: datetime,
    timeout_s: float,
    max_age_s: float | None,
) -> RestorePlan:
    """Decide which sessions continue. None lives longer than it would have without the restart.

    A clock that was set forward ends sessions sooner. If the clock is behind the latest stored time, it was
    set back, and the idle time of the sessions is unknown, so all of them end. A difference within
    `TOLERANCE` may come from another machine's clock and is added to the idle times.

    Args:
        sessions: the stored sessions.
        written_at: time of the last write.
        now: the wall clock.
        timeout_s: seconds without a use after which a session ends.
        max_age_s: seconds after the login at which it ends in any case; None for no limit.
    """
    stored_times = [stored.used_at for stored in sessions] + ([] if written_at is None else [written_at])
    latest = max(stored_times, default=now)
    if latest - now > TOLERANCE:
        return RestorePlan(restorable=(), ended=len(sessions), clock_went_back=True)
    if now < latest:
        now += TOLERANCE
    restorable = []
    for stored in sessions:
        if is_reserved(stored.session.user.name):  # versions before 0.1.0 let such a name sign in
            continue
        idle_s = (now - stored.used_at).total_seconds()
        age_s = max(idle_s, (now - stored.session.signed_in_at).total_seconds())
        if idle_s < timeout_s and (max_age_s is None or age_s < max_age_s):
            restorable.append(RestorableSession(stored=stored, idle_s=idle_s, age_s=age_s))
    return RestorePlan(restorable=restorable, ended=len(sessions) - len(restorable))
