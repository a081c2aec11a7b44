"""Splitting a text into cells takes linear time, whatever the text consists of."""

import itertools

import pytest
from typing_extensions import override

from supplier_returns.pasting.cells import MAX_WRAPPED_CELL, split_rows


class CountingText(str):
    """A text that counts the characters that are read."""

    __slots__ = ("steps",)
    steps: int

    @override
    def removesuffix(self, suffix: str, /) -> str:
        return self  # str has no counterpart

    @override
    def find(self, sub: str, start: int = 0, end: int | None = None, /) -> int:  # type: ignore[override]
        found = super().find(sub, start, end)
        self.steps += (len(self) if end is None else end) - start if found < 0 else found - start + len(sub)
        return found

    @override
    def startswith(self, prefix: str, start: int = 0, /) -> bool:  # type: ignore[override]
        self.steps += len(prefix)
        return super().startswith(prefix, start)

    @override
    def __getitem__(self, key: slice, /) -> str:  # type: ignore[override]
        piece = super().__getitem__(key)
        self.steps += len(piece)
        return piece


def steps_of(text: str, *, max_columns: int) -> int:
    counting = CountingText(text)
    counting.steps = 0
    split_rows(counting, max_columns=max_columns)
    return counting.steps


@pytest.mark.parametrize("piece", ["".join(p) for n in (2, 3) for p in itertools.product('"\t\na', repeat=n)])
def test_splitting_takes_linear_time(piece: str) -> None:
    """Covers patterns of quotes, tabs, line ends and letters. One of them used to take quadratic time."""
    steps = [steps_of('"' + piece * count + "a", max_columns=10**6) for count in (2_000, 4_000)]
    assert steps[1] <= 2 * steps[0] + 100


@pytest.mark.parametrize("piece", ["\t", '\t"', 'a\t"b'])
def test_a_line_is_split_only_up_to_the_maximum_cells(piece: str) -> None:
    text = "Código\tCantidad\n" + piece * 10_000 + "\nA\t1\n"
    rows = split_rows(text, max_columns=50)
    assert [len(row) for row in rows[:2]] == [2, 51]


def test_no_line_is_split_after_one_with_too_many_quoted_cells() -> None:
    text = '\t"' * 100 + "\n" + "A\t1\n" * 10_000
    assert len(split_rows(text, max_columns=50)) == 1
    assert steps_of(text, max_columns=50) < 1_000


@pytest.mark.parametrize(("length", "is_cell"), [(MAX_WRAPPED_CELL, True), (MAX_WRAPPED_CELL + 1, False)])
def test_a_wrapped_cell_may_be_as_long_as_in_a_spreadsheet(length: int, is_cell: bool) -> None:
    inside = "a\n" + "b" * (length - 2)
    assert (split_rows(f'"{inside}"\tc') == [[inside, "c"]]) is is_cell


def test_a_quote_at_the_maximum_length_that_does_not_close_is_literal() -> None:
    inside = "b" * (MAX_WRAPPED_CELL - 2)
    assert split_rows(f'"a\n{inside}"x\tc') == [['"a'], [f'{inside}"x', "c"]]
