"""Recent use: what is charged when, who pays for a shared call, and how charges fade."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from manual_clock import ManualClock

from erpclient.recent_use import RecentUse


@pytest.fixture
def use(clock: ManualClock) -> RecentUse:
    return RecentUse(clock.monotonic)


def run_call(use: RecentUse, clock: ManualClock, seconds: float, *names: str) -> None:
    charge = use.begin(names[0])
    use.split(charge, names)
    clock.advance(seconds)
    use.end(charge)


def test_a_call_is_charged_its_duration_which_halves_each_minute(use: RecentUse, clock: ManualClock) -> None:
    run_call(use, clock, 12.0, "ana")
    assert use.seconds("ana") == 12.0
    clock.advance(60)
    assert use.seconds("ana") == pytest.approx(6.0)
    run_call(use, clock, 60.0, "ana")
    assert use.seconds("ana") == pytest.approx(3.0 + 60.0)
    assert use.seconds("eva") == 0.0


def test_a_running_call_counts_as_the_largest_of_elapsed_mean_and_minimum(
    use: RecentUse, clock: ManualClock
) -> None:
    first = use.begin("ana")
    assert use.seconds("ana") == 0.2
    clock.advance(0.1)
    assert use.seconds("ana") == 0.2
    clock.advance(3.9)
    assert use.seconds("ana") == 4.0
    use.end(first)
    run_call(use, clock, 2.0, "ana")
    charged = use.seconds("ana")
    mean = 3.0
    second = use.begin("ana")
    assert use.seconds("ana") - charged == pytest.approx(mean, rel=0.02)
    clock.advance(10)
    third = use.begin("ana")
    decayed = charged * 2 ** (-10 / 60)
    assert use.seconds("ana") == pytest.approx(decayed + 10.0 + mean, rel=0.02)
    for charge in (second, third):
        use.end(charge)


def test_a_call_that_ends_at_once_has_no_cost(use: RecentUse) -> None:
    use.end(use.begin("ana"))
    assert use.seconds("ana") == 0.0


@pytest.mark.parametrize("names", ["ab", "abcd", "aab"])
def test_a_shared_call_is_split_between_the_lanes_that_share_it(
    use: RecentUse, clock: ManualClock, names: str
) -> None:
    lanes = set(names)
    charge = use.begin("a")
    use.split(charge, names)
    assert [use.seconds(name) for name in lanes] == [pytest.approx(0.2 / len(lanes))] * len(lanes)
    clock.advance(6)
    assert [use.seconds(name) for name in lanes] == [pytest.approx(6 / len(lanes))] * len(lanes)
    use.end(charge)
    assert [use.seconds(name) for name in lanes] == [pytest.approx(6 / len(lanes))] * len(lanes)


def test_a_lane_removed_from_its_call_is_not_charged(use: RecentUse, clock: ManualClock) -> None:
    charge = use.begin("ana")
    use.split(charge, {"eva"})
    clock.advance(5)
    use.end(charge)
    assert (use.seconds("ana"), use.seconds("eva")) == (0.0, 5.0)


def test_the_mean_of_shared_calls_is_the_time_of_a_whole_call(use: RecentUse, clock: ManualClock) -> None:
    run_call(use, clock, 8.0, "ana", "eva")
    use.begin("ana")
    assert use.seconds("ana") == pytest.approx(4.0 + 8.0)


def test_after_a_slow_first_call_new_lanes_follow_those_with_little_use(
    use: RecentUse, clock: ManualClock
) -> None:
    for name, seconds in (("heavy", 30.0), ("ana", 1.0), ("eva", 2.0)):
        run_call(use, clock, seconds, name)
    charge = use.begin("slow 1")
    clock.advance(12)
    use.end(charge, ["heavy", "ana", "eva", "slow 2", "slow 3"])
    assert [use.seconds(name) for name in ("slow 2", "slow 3")] == [use.seconds("eva") + 0.2] * 2
    assert use.seconds("late") == 0.0
    clock.advance(60)
    assert use.seconds("slow 2") == pytest.approx(use.seconds("eva") + 0.1)


def test_after_a_short_first_call_new_lanes_stay_first(use: RecentUse, clock: ManualClock) -> None:
    run_call(use, clock, 1.0, "ana")
    charge = use.begin("eva")
    clock.advance(0.3)
    use.end(charge, ["ana", "leo"])
    assert use.seconds("leo") == 0.0


def test_without_other_measured_lanes_new_lanes_stay_first(use: RecentUse, clock: ManualClock) -> None:
    charge = use.begin("slow")
    clock.advance(12)
    use.end(charge, ["slow", "ana", "eva"])
    assert use.seconds("ana") == use.seconds("eva") == 0.0


def test_a_second_call_of_a_lane_does_not_affect_new_lanes(use: RecentUse, clock: ManualClock) -> None:
    run_call(use, clock, 1.0, "ana")
    charge = use.begin("ana")
    clock.advance(12)
    use.end(charge, ["eva"])
    assert use.seconds("eva") == 0.0


def test_the_initial_charge_of_a_new_lane_is_not_part_of_its_mean(use: RecentUse, clock: ManualClock) -> None:
    run_call(use, clock, 5.0, "leo")
    charge = use.begin("ana")
    clock.advance(12)
    use.end(charge, ["leo", "eva"])
    run_call(use, clock, 1.0, "eva")
    assert use.seconds("eva") > 5.0
    before = use.seconds("eva")
    use.begin("eva")
    assert use.seconds("eva") == pytest.approx(before + 1.0)


def test_idle_lanes_use_no_memory(use: RecentUse, clock: ManualClock) -> None:
    running = use.begin("running")
    for number in itertools.count():
        run_call(use, clock, 1.0, f"stranger{number}")
        if number == 5_000:
            break
    assert len(use._lanes) < 2_500
    assert use.seconds("stranger5000") == pytest.approx(1.0)
    use.end(running)
    assert use.seconds("running") > 5_000


NAMES = st.sampled_from("abc")
EVENTS = st.lists(st.tuples(st.sets(NAMES, min_size=1), st.floats(0, 100), st.floats(0, 100)), max_size=20)


@given(EVENTS)
def test_charges_add_up_to_the_time_spent_and_only_fade_between_calls(
    events: list[tuple[set[str], float, float]],
) -> None:
    clock = ManualClock()
    use = RecentUse(clock.monotonic)
    expected = 0.0
    for names, call_s, pause_s in events:
        run_call(use, clock, call_s, *names)
        expected = expected * 2 ** (-call_s / 60) + call_s
        assert sum(map(use.seconds, "abc")) == pytest.approx(expected, abs=1e-6)
        order = sorted("abc", key=use.seconds)
        clock.advance(pause_s)
        expected *= 2 ** (-pause_s / 60)
        assert sorted(map(use.seconds, "abc")) == pytest.approx([use.seconds(name) for name in order])
