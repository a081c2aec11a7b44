"""Proposes what each column of a table may mean, for a person who decides."""

from collections.abc import Sequence

from attrs import frozen

from supplier_returns.pasting.column_cells import cell_at, filled_columns, has_numbers, is_mostly_numbers
from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.header_words import meaning_of

MAX_SHORT = 8
"""Longest code of a warehouse."""


@frozen
class ColumnProposal:
    """What one column may mean.

    Attributes:
        index: 0-based position of the column.
        possible: Its possible meanings, the most likely one first.
    """

    index: int
    possible: tuple[Column, ...]


def propose_columns(rows: Sequence[Sequence[str]], header_row: int | None) -> tuple[ColumnProposal, ...]:
    """Propose meanings of each column that is not empty.

    Args:
        rows: Cleaned cells.
        header_row: 0-based index of a row with some header words, None without one.
    """
    header = [] if header_row is None else rows[header_row]
    body = rows if header_row is None else rows[header_row + 1 :]
    return tuple(
        ColumnProposal(position, _possible(meaning_of(cell_at(header, position)), body, position))
        for position in filled_columns(rows)
    )


def _possible(named: Column | None, body: Sequence[Sequence[str]], position: int) -> tuple[Column, ...]:
    possible = [Column.CODE, Column.REASON, Column.COMMENT]
    if all(len(cell_at(row, position)) <= MAX_SHORT for row in body):
        possible.insert(1, Column.WAREHOUSE)
    if has_numbers(body, position):
        possible.insert(0 if is_mostly_numbers(body, position) else len(possible), Column.QUANTITY)
    return tuple(dict.fromkeys([named, *possible] if named in possible else possible))
