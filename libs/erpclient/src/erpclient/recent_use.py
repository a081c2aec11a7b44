"""Recent use of the ERP by lane, in seconds."""

from collections.abc import Callable, Collection, Iterable
from typing import Final

from attrs import define, field

from erpclient.lanes import Lane

HALF_LIFE_S: Final = 60.0
"""After this time, half of a charge counts."""

LEAST_RUNNING_S: Final = 0.2
"""Charge of a call that has just started in a lane without measured calls."""

# A lane with less recent use than this counts as new.
_FORGOTTEN_S: Final = 0.001

# Number of lanes from which on a search for expired ones pays off.
_LEAST_CHECKED: Final = 64


@define(eq=False)
class Charge:
    """A running call and the lanes that pay for it, in equal parts."""

    lanes: Collection[Lane]
    since: float


@define(eq=False)
class _Lane:
    """Values of a lane, decayed until `at`: use, measured seconds and calls; and its running calls."""

    at: float
    used: float = 0.0
    measured: float = 0.0
    calls: float = 0.0
    running: set[Charge] = field(factory=set)

    @property
    def mean_s(self) -> float:
        """Mean time of the calls, 0 before the first one has ended."""
        return self.measured / self.calls if self.calls else 0.0

    def decay(self, now: float) -> None:
        """Bring all charges to this moment."""
        remaining = float(2 ** ((self.at - now) / HALF_LIFE_S))
        self.at = now
        self.used *= remaining
        self.measured *= remaining
        self.calls *= remaining


class RecentUse:
    """Charges lanes for the time of their calls and forgets charges with a half-life of 60 s.

    A call is charged when it ends. A running call counts with the largest of its elapsed time, the lane's
    mean and 0.2 s. Otherwise one lane could take every free place before its first call ends.

    A lane without a measured call would always come first. So when the first call of a lane was slow, other
    new lanes that wait are put behind the measured ones that used less than half of that call. Without this,
    ten users who begin with 12 s reads delay everyone else by two minutes
    (`python -m bench --only fairness`).

    Args:
        monotonic: seconds since some fixed moment.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._lanes: dict[Lane, _Lane] = {}
        self._check_from = _LEAST_CHECKED

    def seconds(self, name: Lane) -> float:
        """Return the recent use of a lane, with its share of the calls that run."""
        lane = self._lanes.get(name)
        if lane is None:
            return 0.0
        now = self._monotonic()
        lane.decay(now)
        running = (
            max(now - each.since, lane.mean_s, LEAST_RUNNING_S) / len(each.lanes) for each in lane.running
        )
        return lane.used + sum(running)

    def begin(self, name: Lane) -> Charge:
        """Count a call as running in this lane."""
        charge = Charge((name,), self._monotonic())
        self._lane(name).running.add(charge)
        return charge

    def split(self, charge: Charge, names: Collection[Lane]) -> None:
        """Split the cost of a running call equally among these lanes. A repeated name pays once."""
        for name in charge.lanes:
            self._lanes[name].running.remove(charge)
        charge.lanes = frozenset(names)
        for name in charge.lanes:
            self._lane(name).running.add(charge)

    def end(self, charge: Charge, waiting: Iterable[Lane] = ()) -> None:
        """Charge the elapsed time to the lanes of the call.

        Args:
            charge: the charge of the call.
            waiting: lanes with waiting requests.
        """
        now = self._monotonic()
        call_s, part = now - charge.since, 1 / len(charge.lanes)
        is_first = False
        for name in charge.lanes:
            lane = self._lanes[name]
            is_first = is_first or not lane.calls
            lane.running.remove(charge)
            lane.decay(now)
            lane.used += call_s * part
            lane.measured += call_s * part
            lane.calls += part
        if is_first:
            self._rate_newcomers(charge, call_s, waiting)
        if len(self._lanes) >= self._check_from:
            self._forget()

    def _rate_newcomers(self, charge: Charge, call_s: float, waiting: Iterable[Lane]) -> None:
        lanes = {name: self._lane(name) for name in waiting if name not in charge.lanes}
        use = [self.seconds(name) for name, lane in lanes.items() if lane.calls]
        little = [seconds for seconds in use if seconds < call_s / 2]
        if not little:
            return
        behind = min(max(little) + LEAST_RUNNING_S, call_s / 2)
        for lane in lanes.values():
            if not lane.calls:
                lane.decay(self._monotonic())
                lane.used = max(lane.used, behind)

    def _lane(self, name: Lane) -> _Lane:
        return self._lanes.setdefault(name, _Lane(self._monotonic()))

    def _forget(self) -> None:
        self._lanes = {
            name: lane
            for name, lane in self._lanes.items()
            if lane.running or self.seconds(name) > _FORGOTTEN_S
        }
        self._check_from = max(2 * len(self._lanes), _LEAST_CHECKED)
