"""Propose meanings for the columns of a table, for a user who decides."""

from collections.abc import Sequence

from attrs import frozen

from supplier_returns.pasting.column_cells import cell_at, filled_columns, has_numbers, is_mostly_numbers
from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.header_words import meaning_of

MAX_WHS_CODE = 8
"""Maximum characters of a warehouse code."""


@frozen
class ColumnProposal:
    """Possible meanings of one column.

    Attributes:
        index: 0-based position of the column.
        possible: possible meanings, the most likely first.
    """

    index: int
    possible: tuple[Column, ...]


def propose_columns(rows: Sequence[Sequence[str]], header_row: int | None) -> tuple[ColumnProposal, ...]:
    """Propose meanings for each non-empty column.

    Args:
        rows: cleaned cells.
        header_row: 0-based index of a row with some header words, if there is one.
    """
    header = [] if header_row is None else rows[header_row]
    body = rows if header_row is None else rows[header_row + 1 :]
    return tuple(
        ColumnProposal(position, _possible(meaning_of(cell_at(header, position)), body, position))
        for position in filled_columns(rows)
    )


def _possible(
    header_meaning: Column | None, body: Sequence[Sequence[str]], position: int
) -> tuple[Column, ...]:
    possible = [Column.CODE, Column.REASON, Column.COMMENT]
    if all(len(cell_at(row, position)) <= MAX_WHS_CODE for row in body):
        possible.insert(1, Column.WAREHOUSE)
    if has_numbers(body, position):
        # A column that consists mostly of numbers is probably the quantity.
        possible.insert(0 if is_mostly_numbers(body, position) else len(possible), Column.QUANTITY)
    return tuple(dict.fromkeys([header_meaning, *possible] if header_meaning in possible else possible))
