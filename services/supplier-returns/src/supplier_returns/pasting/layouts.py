"""Find the columns of a table: requested, named by a header, or certain without one."""

from collections.abc import Mapping, Sequence

from supplier_returns.pasting.column_cells import (
    cell_at,
    filled_columns,
    has_numbers,
    is_mostly_numbers,
    is_number,
    is_numeric,
)
from supplier_returns.pasting.columns import Column, Layout, UnknownColumns
from supplier_returns.pasting.header_words import is_title, meaning_of
from supplier_returns.pasting.headers import HEADER_SEARCH_ROWS, find_header, read_header

_UNKNOWN = "No se reconoce qué columna tiene el código y cuál la cantidad."


def find_layout(rows: Sequence[Sequence[str]]) -> Layout | UnknownColumns:
    """Find the columns of a table without guessing.

    Args:
        rows: cleaned cells, possibly with empty rows.
    """
    header = find_header(rows)
    if header is not None:
        return read_header(rows, header)
    filled = filled_columns(rows)
    if len(filled) < 2:  # noqa: PLR2004 - code and quantity
        return UnknownColumns(_UNKNOWN)
    code, *others = filled
    numeric = [position for position in others if has_numbers(rows, position)]
    # In a table of two columns, the codes may be numbers too.
    is_first_numeric = len(filled) > 2 and is_mostly_numbers(rows, code)  # noqa: PLR2004 - likewise
    if len(numeric) != 1 or is_first_numeric or _has_unread_header(rows, numeric[0]):
        return UnknownColumns(_UNKNOWN)
    return Layout({Column.CODE: code, Column.QUANTITY: numeric[0]})


def requested_layout(rows: Sequence[Sequence[str]], positions: Mapping[Column, int]) -> Layout:
    """Return the requested layout, starting at the first row with a quantity.

    If no row has a quantity, it starts at the first row, so that each row gets a note.
    """
    quantity_at, code_at = positions[Column.QUANTITY], positions[Column.CODE]
    first = 0
    for index, row in enumerate(rows):
        if is_number(cell_at(row, quantity_at)) and meaning_of(cell_at(row, code_at)) is not Column.CODE:
            first = index
            break
    return Layout(positions, first, max((index for index in range(first) if any(rows[index])), default=None))


def _has_unread_header(rows: Sequence[Sequence[str]], quantity_at: int) -> bool:
    """Return whether a row with other words is the header, such as `Detalle, Precio`.

    A header is any text before the first quantity, or a column name (`Precio`) in the first rows. A title
    above the header may also contain a number (`Informe, 2026`).
    """
    is_before_numbers = True
    for index, row in enumerate(rows):
        cell = cell_at(row, quantity_at)
        if is_number(cell):
            is_before_numbers = False
        elif cell and (is_title(cell) or (is_before_numbers and _is_text(cell))):
            return True
        if index >= HEADER_SEARCH_ROWS and not is_before_numbers:
            return False
    return False


def _is_text(cell: str) -> bool:
    return not is_numeric(cell) and not cell.startswith("#")  # a failed formula: `#N/A`
