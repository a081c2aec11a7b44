"""Pauses of calls that no new session helps: each path its own, and a resource after its third path."""

import pytest
from manual_clock import ManualClock

from erpclient.renewal_pauses import RenewalPauses


@pytest.fixture
def pauses(clock: ManualClock) -> RenewalPauses:
    return RenewalPauses(clock.monotonic)


def test_a_path_has_a_pause_of_5_s_doubling_to_5_min(pauses: RenewalPauses, clock: ManualClock) -> None:
    for pause_s in (5, 10, 20, 40, 80, 160, 300, 300):
        assert pauses.add("Items", "/Items('X')") == pause_s
        clock.advance(pause_s - 0.01)
        assert not pauses.may_renew("Items", "/Items('X')")
        assert pauses.may_renew("Items", "/Items('Y')")
        assert pauses.may_renew("Orders", "/Orders(1)")
        clock.advance(0.01)
        assert pauses.may_renew("Items", "/Items('X')")


def test_an_answer_ends_the_pause_and_resets_its_length(pauses: RenewalPauses, clock: ManualClock) -> None:
    pauses.add("Items", "/Items")
    pauses.add("Items", "/Items")
    pauses.forget("Items", "/Items")
    assert pauses.may_renew("Items", "/Items")
    assert pauses.add("Items", "/Items") == 5
    pauses.forget("Items", "/Items('unknown')")
    pauses.forget("Nothing", "/Nothing")
    assert not pauses.may_renew("Items", "/Items")


def test_the_third_refused_path_of_a_resource_pauses_all_its_paths(
    pauses: RenewalPauses, clock: ManualClock
) -> None:
    for number in range(3):
        assert pauses.may_renew("Wrong", f"/Wrong({number})")
        pauses.add("Wrong", f"/Wrong({number})")
    for number, pause_s in enumerate((5, 10, 20, 40), start=3):
        assert not pauses.may_renew("Wrong", f"/Wrong({number})")
        assert pauses.may_renew("Items", "/Items")
        clock.advance(pause_s)
        assert pauses.may_renew("Wrong", f"/Wrong({number})")
        pauses.add("Wrong", f"/Wrong({number})")


def test_a_repeatedly_refused_path_does_not_pause_its_resource(pauses: RenewalPauses) -> None:
    for _ in range(10):
        pauses.add("Items", "/Items('X')")
    assert pauses.may_renew("Items", "/Items('Y')")


def test_the_memory_is_bounded_and_drops_the_oldest_path_first(pauses: RenewalPauses) -> None:
    for number in range(1_001):
        pauses.add(f"Wrong{number}", f"/Wrong{number}")
    assert pauses.may_renew("Wrong0", "/Wrong0")
    assert not pauses.may_renew("Wrong1", "/Wrong1")
    assert not pauses.may_renew("Wrong1000", "/Wrong1000")
