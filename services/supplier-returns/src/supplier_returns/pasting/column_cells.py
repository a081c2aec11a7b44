"""Checks for numbers in a cell or a column."""

import re
from collections.abc import Iterable, Sequence

from supplier_returns.pasting.numbers import NumberProblem, parse_number

_NO_NUMBER = (NumberProblem.EMPTY, NumberProblem.NOT_A_NUMBER)
_STARTS_LIKE_A_NUMBER = re.compile(r"[^\w]*(?:US|CLP|USD)?[^\w]*[0-9]")
_NUMBER_AND_UNIT = re.compile(r"[+-]?[0-9][0-9.,]*\s*[^\W\d_]{1,12}\.?")


def is_number(cell: str) -> bool:
    """Return whether the cell is meant as a number, even if it is not a valid quantity (`-3`, `0`, `$ 5`)."""
    return _STARTS_LIKE_A_NUMBER.match(cell) is not None and parse_number(cell) not in _NO_NUMBER


def is_numeric(cell: str) -> bool:
    """Return whether the cell is a number, possibly with its unit (`3 UN`)."""
    return is_number(cell) or _NUMBER_AND_UNIT.fullmatch(cell) is not None


def cell_at(row: Sequence[str], position: int) -> str:
    """Return a cell of a row, or an empty text after its end."""
    return row[position] if position < len(row) else ""


def has_numbers(rows: Iterable[Sequence[str]], position: int) -> bool:
    """Return whether any cell of a column is a number, possibly with its unit."""
    return any(is_numeric(cell_at(row, position)) for row in rows)


def is_mostly_numbers(rows: Iterable[Sequence[str]], position: int) -> bool:
    """Return whether at least half of a column's cells are numbers."""
    cells = [cell for row in rows if (cell := cell_at(row, position))]
    return 2 * sum(map(is_number, cells)) >= max(1, len(cells))


def filled_columns(rows: Iterable[Sequence[str]]) -> list[int]:
    """Return the 0-based index of each column with a non-empty cell."""
    return sorted({position for row in rows for position, cell in enumerate(row) if cell})
