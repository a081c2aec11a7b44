"""Places to wait in: reserves hold, and every place is used by somebody who may use it."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpclient.waiting_places import WaitingPlaces

EVERYONE, SIGN_IN, ADMINISTRATOR = "", "sign_in", "administrator"
CLASSES = (EVERYONE, SIGN_IN, ADMINISTRATOR)


def fill(places: WaitingPlaces, name: str) -> int:
    taken = 0
    while places.admits(name):
        places.take(name)
        taken += 1
    return taken


@pytest.mark.parametrize(
    ("order", "taken"),
    [
        ((EVERYONE, SIGN_IN, ADMINISTRATOR), (4, 2, 4)),
        ((SIGN_IN, EVERYONE, ADMINISTRATOR), (6, 0, 4)),
        ((ADMINISTRATOR, SIGN_IN, EVERYONE), (8, 2, 0)),
    ],
)
def test_a_class_uses_its_reserve_and_the_common_places(
    order: tuple[str, ...], taken: tuple[int, ...]
) -> None:
    places = WaitingPlaces(10, {SIGN_IN: 2, ADMINISTRATOR: 4})
    assert tuple(fill(places, name) for name in order) == taken


def test_without_reserves_all_classes_share_one_limit() -> None:
    places = WaitingPlaces(3, {})
    assert fill(places, EVERYONE) == 3
    assert not places.admits(SIGN_IN)
    places.give_back(EVERYONE)
    assert places.admits(SIGN_IN)


@given(
    st.integers(0, 8),
    st.integers(0, 4),
    st.integers(0, 4),
    st.lists(st.tuples(st.booleans(), st.sampled_from(CLASSES)), max_size=60),
)
def test_random_evictions_respect_the_reserves(
    free: int, for_sign_ins: int, for_administrators: int, events: list[tuple[bool, str]]
) -> None:
    limit = free + for_sign_ins + for_administrators
    reserved = {SIGN_IN: for_sign_ins, ADMINISTRATOR: for_administrators}
    places, taken = WaitingPlaces(limit, reserved), Counter[str]()
    for comes, name in events:
        if not comes and taken[name]:
            places.give_back(name)
            taken[name] -= 1
        elif comes and places.admits(name):
            places.take(name)
            taken[name] += 1
        assert taken.total() <= limit
        for each in CLASSES:
            assert taken[each] >= reserved.get(each, 0) or each == EVERYONE or places.admits(each)
            if places.admits(each):
                continue
            for other in CLASSES:
                if not taken[other]:
                    continue
                frees = places.gives_way(other, each)
                places.give_back(other)
                assert places.admits(each) == frees
                places.take(other)
