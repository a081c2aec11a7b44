"""Splitting results into key ranges, for any distribution and order: all rows or an error."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supplier_returns.saved_queries.key_ranges import EVERYTHING, KeyRange, is_whole, split

KEYS = st.lists(st.integers(0, 400), max_size=120)


def read_all(keys: list[int], page_rows: int, order: str, seed: int) -> tuple[list[int] | None, int]:
    """Read like the reader, from a server with this page size and order."""
    random_order = random.Random(seed)
    found: list[int] = []
    todo, calls = [EVERYTHING], 0
    while todo:
        key_range = todo.pop()
        calls += 1
        inside = [key for key in keys if key_range.first <= key <= key_range.last]
        rows: list[int | None] = [*inside, None]  # the count row
        if order == "sorted":
            rows = [*sorted(inside), None]
        elif order == "shuffled":
            random_order.shuffle(rows)
        page = rows[:page_rows]
        lines = [key for key in page if key is not None]
        counts = [len(inside)] if None in page else []
        if is_whole(key_range, lines, counts, more=len(rows) > page_rows):
            found += lines
            continue
        halves = split(key_range, lines)
        if halves is None:
            return None, calls
        todo += halves
    return found, calls


@given(KEYS, st.integers(2, 40), st.sampled_from(["sorted", "shuffled", "as-is"]), st.integers(0, 99))
def test_everything_is_read_unless_a_single_key_exceeds_a_page(
    keys: list[int], page_rows: int, order: str, seed: int
) -> None:
    found, calls = read_all(keys, page_rows, order, seed)
    most = max((len(list(group)) for _, group in itertools.groupby(sorted(keys))), default=0)
    if most < page_rows:
        assert found is not None
        assert sorted(found) == sorted(keys)
        assert calls <= 2 + 8 * len(keys)
    elif found is not None:
        assert sorted(found) == sorted(keys)


@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_splitting_wastes_few_calls(order: str) -> None:
    keys = [number // 20 for number in range(200_000)]
    found, calls = read_all(keys, 25_000, order, 1)
    assert found is not None
    assert len(found) == 200_000
    assert calls <= 40


def test_twenty_thousand_rows_are_read_in_one_call() -> None:
    assert read_all([number // 20 for number in range(20_000)], 25_000, "shuffled", 1)[1] == 1


@pytest.mark.parametrize(
    ("keys", "counts", "more", "whole"),
    [
        ([], [0], False, True),
        ([5, 5], [2], False, True),
        ([], [], False, False),
        ([5], [2], False, False),
        ([5], [1], True, False),
        ([5], [1, 1], False, False),
        ([4], [1], False, False),
        ([8], [1], False, False),
    ],
)
def test_a_page_is_complete_only_with_its_count(
    keys: list[int], counts: list[int], *, more: bool, whole: bool
) -> None:
    assert is_whole(KeyRange(5, 7), keys, counts, more=more) is whole


@pytest.mark.parametrize("keys", [[], [5], [9, 5], [5, 5, 5], [9, 9], [7, 6, 8]])
def test_the_halves_cover_the_range_and_are_smaller(keys: list[int]) -> None:
    halves = split(KeyRange(5, 9), keys)
    if not keys:
        assert halves is None
    else:
        assert halves is not None
        left, right = halves
        assert (left.first, left.last + 1, right.last) == (5, right.first, 9)
        assert left.first <= left.last
        assert right.first <= right.last


def test_a_single_key_cannot_be_split() -> None:
    assert split(KeyRange(5, 5), [5, 5]) is None
