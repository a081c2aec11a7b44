"""The fair queue by recent use: who is next, who loses a place in a full queue, and that nobody starves."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st
from manual_clock import ManualClock

from erpclient import FairQueue, InternalLane, Lane, Permit, QueueRules


class FullError(Exception):
    """No place to wait in."""


class TooLateError(Exception):
    """The wait was too long."""


class ClosedError(Exception):
    """The queue takes no work."""


@define
class Desk:
    """Sends requests into a queue and notes which are served, in order, and which lose their place."""

    capacity: int = 1
    max_waiting: int = 1000
    max_waiting_per_user: int = 1000
    reserved: Mapping[str, int] = field(factory=dict)
    clock: ManualClock = field(factory=ManualClock)
    served: list[str] = field(factory=list)
    lost: list[tuple[str, Exception]] = field(factory=list)
    running: dict[str, Permit] = field(factory=dict)
    queue: FairQueue = field(init=False)

    def __attrs_post_init__(self) -> None:
        rules = QueueRules(
            capacity=self.capacity,
            max_waiting=self.max_waiting,
            max_waiting_per_user=self.max_waiting_per_user,
            by_use=True,
            reserved=self.reserved,
            wait_s=1e9,
            full=FullError,
            too_late=TooLateError,
            closed=ClosedError,
        )
        self.queue = FairQueue(rules, self.clock)

    def come(self, *names: str, reserve: str = "") -> None:
        """Send requests in; the first letter of each name is its user."""
        for name in names:
            permit = self.queue.try_take(name[0])
            if permit is None:
                self.queue.enqueue(name[0], partial(self._settle, name), reserve=reserve)
            else:
                self._settle(name, permit)

    def work(self, name: str, seconds: float) -> None:
        """Let a running piece of work take so long and end."""
        self.clock.advance(seconds)
        self.running.pop(name).release()

    def _settle(self, name: str, outcome: Permit | Callable[[], Exception]) -> None:
        if isinstance(outcome, Permit):
            self.served.append(name)
            self.running[name] = outcome
        else:
            self.lost.append((name, outcome()))


def test_the_user_with_the_least_recent_use_is_next() -> None:
    desk = Desk()
    desk.come("a1", "a2", "b1", "b2", "c1")
    desk.work("a1", 12)
    desk.work("b1", 3)
    desk.work("c1", 1)
    assert desk.served == ["a1", "b1", "c1", "b2"]
    assert [wait.user for wait in desk.queue.waits] == ["a"]
    desk.come("c2", "d1")
    assert [wait.user for wait in desk.queue.waits] == ["d", "c", "a"]
    desk.work("b2", 0)
    assert desk.served[4:] == ["d1"]


def test_without_any_use_users_are_served_in_the_order_of_their_coming() -> None:
    desk = Desk()
    desk.come("z1", "c1", "a1", "b1", "c2")
    for name in ("z1", "c1", "a1", "b1"):
        desk.work(name, 0)
    assert desk.served == ["z1", "c1", "a1", "b1", "c2"]


def test_a_user_with_slow_work_is_served_after_ten_frequent_users() -> None:
    desk = Desk()
    desk.come("z1", "z2")
    desk.work("z1", 12)
    desk.work("z2", 12)
    desk.come("y1", "z3", *(f"{name}1" for name in "abcdefghij"))
    for number in range(1, 6):
        for name in "abcdefghij":
            desk.come(f"{name}{number + 1}")
            desk.work(desk.served[-1], 0.2)
    assert "z3" not in desk.served


def test_only_one_slow_newcomer_precedes_users_with_little_use() -> None:
    desk = Desk()
    for name in "abcdef":
        desk.come(f"{name}0")
        desk.work(f"{name}0", 1)
    desk.come("u1", "v1", "w1", *(f"{name}1" for name in "abcdef"))
    desk.work("u1", 12)
    for _ in "abcdef":
        desk.work(desk.served[-1], 1)
    assert "".join(name[0] for name in desk.served) == "abcdef" + "u" + "abcdef" + "v"


def test_running_work_counts_as_use_before_it_ends() -> None:
    desk = Desk(capacity=3)
    desk.come("a1", "b1", "c1", "a2", "d1")
    desk.work("b1", 0)
    assert desk.served[3:] == ["d1"], "a has work running"
    desk.work("c1", 0)
    assert desk.served[4:] == ["a2"]


def test_shared_work_is_charged_to_all_its_users() -> None:
    desk = Desk()
    desk.come("a1", "b1", "c1")
    desk.running["a1"].share_cost(["a", "b"])
    desk.work("a1", 6)
    assert desk.served == ["a1", "c1"]
    desk.work("c1", 4)
    desk.come("c2", "a2", "b2")
    desk.work("b1", 0)
    desk.work("a2", 0)
    assert desk.served[2:] == ["b1", "a2", "b2"], "3 s each are less than 4"


def test_work_may_be_shared_without_accounting() -> None:
    rules = QueueRules(capacity=1, wait_s=1, full=FullError, too_late=TooLateError, closed=ClosedError)
    permit = FairQueue(rules, ManualClock()).try_take("a")
    assert permit is not None
    permit.share_cost(["a", "b"])
    permit.release()


def test_in_a_full_queue_the_longest_lane_loses_its_newest_request() -> None:
    desk = Desk(max_waiting=6)
    desk.come("z1", "a1", "b1", "b2", "b3", "a2", "c1")
    desk.come("d1")
    assert [name for name, _ in desk.lost] == ["b3"]
    assert [str(error) for _, error in desk.lost] == ["total"]
    assert desk.queue.waiting == 6
    with pytest.raises(FullError, match="total"):
        desk.come("d2")
    assert [name for name, _ in desk.lost] == ["b3"], "no lane is longer than the newcomer's would be"


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("b3", ["a1", "a2", "b1", "b2"]),
        ("b4", ["a1", "b1", "b2", "b3"]),
        ("a2", ["a1", "b1", "b2", "c1"]),
        ("d1", ["a1", "b1", "c1", "e1"]),
    ],
)
def test_a_newcomer_with_the_longest_lane_is_rejected(name: str, others: list[str]) -> None:
    desk = Desk(max_waiting=4)
    desk.come("z1", *others)
    with pytest.raises(FullError, match="total"):
        desk.come(name)
    assert desk.lost == []
    assert desk.queue.waiting == 4


def test_the_limit_of_one_user_applies_before_any_eviction() -> None:
    desk = Desk(max_waiting=5, max_waiting_per_user=2)
    desk.come("z1", "a1", "a2", "b1", "b2", "c1")
    with pytest.raises(FullError, match="user"):
        desk.come("a3")
    assert desk.lost == []


def test_of_equally_long_lanes_the_last_one_loses_a_request() -> None:
    desk = Desk(max_waiting=4)
    desk.come("z1", "a1", "a2", "b1", "b2", "c1")
    assert [name for name, _ in desk.lost] == ["b2"]


def test_reserved_places_are_used_only_by_their_class() -> None:
    desk = Desk(max_waiting=6, reserved={"sign_in": 2, "administrator": 2})
    desk.come("z1", "a1", "b1")
    with pytest.raises(FullError):
        desk.come("c1")
    desk.come("s1", "s2", reserve="sign_in")
    desk.come("m1", "n1", reserve="administrator")
    assert (desk.lost, desk.queue.waiting) == ([], 6)
    with pytest.raises(FullError):
        desk.come("d1")
    with pytest.raises(FullError):
        desk.come("k1", reserve="administrator")


def test_a_longer_lane_within_its_reserve_is_not_evicted_for_others() -> None:
    desk = Desk(max_waiting=6, reserved={"sign_in": 3})
    desk.come("z1", "a1", "a2", "b1")
    desk.come("s1", "s2", "s3", reserve="sign_in")
    desk.come("c1")
    assert [name for name, _ in desk.lost] == ["a2"], "the place of s3 would be of no use to c1"
    with pytest.raises(FullError):
        desk.come("s4", reserve="sign_in")


def test_requests_of_a_class_beyond_its_reserve_may_be_evicted() -> None:
    desk = Desk(max_waiting=6, reserved={"sign_in": 2})
    desk.come("z1")
    desk.come("s1", "s2", "s3", "s4", "s5", reserve="sign_in")
    desk.come("a1", "b1")
    assert [name for name, _ in desk.lost] == ["s5"]


def test_an_evicted_request_may_return_and_leaves_no_state() -> None:
    desk = Desk(max_waiting=2)
    desk.come("z1", "a1", "a2", "b1")
    assert [name for name, _ in desk.lost] == ["a2"]
    desk.work("z1", 1)
    desk.work("a1", 1)
    desk.come("a2")
    desk.work("b1", 1)
    desk.work("a2", 1)
    assert (desk.queue.used, desk.queue.waiting, desk.clock.armed) == (0, 0, 0)


USERS = "abcdef"


@given(
    st.dictionaries(st.sampled_from(USERS), st.floats(0.05, 30), min_size=2),
    st.integers(1, 3),
    st.floats(0, 300),
)
def test_no_lane_starves_after_heavy_use(
    seconds: dict[str, float], capacity: int, used_before_s: float
) -> None:
    """Everyone always has work waiting. The one with most use before is served before long."""
    desk = Desk(capacity=capacity)
    poor = min(seconds)
    desk.come(f"{poor}-before")
    desk.work(f"{poor}-before", used_before_s)
    for user in seconds:
        desk.come(*(f"{user}{number}" for number in range(capacity + 1)))
    waited_s, number = 0.0, capacity
    # Others reach the use of this one at the latest when it has faded to what each of them has in the long
    # run: 87 s of work count at a time, and one call more of each may come in between.
    bound_s = 60 * 12 + sum(seconds.values())
    while not any(name.startswith(poor) for name in desk.running):
        number += 1
        name = min(desk.running)
        waited_s += seconds[name[0]]
        desk.come(f"{name[0]}{number}")
        desk.work(name, seconds[name[0]])
        assert waited_s <= bound_s


EVENTS = st.tuples(
    st.sampled_from(["come", "come", "come", "end"]),
    st.sampled_from(USERS),
    st.sampled_from(["", "", "sign_in", "administrator"]),
    st.floats(0, 5),
)


@given(st.integers(1, 2), st.integers(0, 12), st.lists(EVENTS, max_size=60))
def test_a_full_queue_evicts_from_the_longest_lane_outside_reserves(
    capacity: int, max_waiting: int, events: list[tuple[str, str, str, float]]
) -> None:
    reserved = {"sign_in": max_waiting // 4, "administrator": max_waiting // 4}
    desk = Desk(capacity=capacity, max_waiting=max_waiting, reserved=reserved)
    classes: dict[str, str] = {}
    waiting: list[str] = []
    for number, (event, user, reserve, seconds) in enumerate(events):
        if event == "end":
            for name in list(desk.running)[:1]:
                desk.work(name, seconds)
        else:
            name, lost_before = f"{user}{number}", len(desk.lost)
            before = list(waiting)
            classes[name] = reserve
            try:
                desk.come(name, reserve=reserve)
                waiting.append(name)
            except FullError:
                taken = Counter(classes[each] for each in before)
                assert taken[reserve] >= reserved.get(reserve, 0), "its reserve is used up"
            if desk.lost[lost_before:]:
                ((loser, _),) = desk.lost[lost_before:]
                check_loser(loser, name, before, classes, reserved)
        lost = {name for name, _ in desk.lost}
        waiting = [name for name in waiting if name not in desk.served and name not in lost]
        assert desk.queue.waiting == len(waiting) <= max_waiting


def check_loser(
    loser: str, newcomer: str, before: list[str], classes: dict[str, str], reserved: dict[str, int]
) -> None:
    """Check that a request lost its place rightly: the newest one of the longest lane that could give one."""
    lengths, taken = Counter(name[0] for name in before), Counter(classes[name] for name in before)
    gives = [
        name
        for name in before
        if classes[name] == classes[newcomer] or taken[classes[name]] > reserved.get(classes[name], 0)
    ]
    longest = max(lengths[name[0]] for name in gives)
    assert lengths[loser[0]] == longest > lengths[newcomer[0]] + 1
    assert loser == [name for name in gives if name[0] == loser[0]][-1]


@pytest.mark.parametrize("by_use", [True, False])
def test_work_in_the_background_waits_until_nobody_else_does(*, by_use: bool) -> None:
    rules = QueueRules(
        capacity=1, by_use=by_use, wait_s=1e9, full=FullError, too_late=TooLateError, closed=ClosedError
    )
    queue, served = FairQueue(rules, ManualClock()), list[str]()
    background = InternalLane("figures", is_background=True)
    first = queue.try_take("z")
    assert first is not None
    running = [first]

    def settle(name: str, outcome: Permit | Callable[[], Exception]) -> None:
        assert isinstance(outcome, Permit)
        served.append(name)
        running.append(outcome)

    waits: list[tuple[Lane, str]] = [(background, "x1"), (background, "x2")]
    waits += [("a", "a1"), ("b", "b1"), ("a", "a2")]
    for lane, name in waits:
        queue.enqueue(lane, partial(settle, name))
    for _ in range(5):
        running.pop().release()
    assert served == ["a1", "b1", "a2", "x1", "x2"]
    running[-1].release()
    assert queue.try_take(background) is not None, "a free place is for everyone"
