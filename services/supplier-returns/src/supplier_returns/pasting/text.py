"""Parse pasted text as requested lines.

A row that can't be read becomes a problem with its row, column and value. It does not fail the whole text.
Row numbers are those of the text: 1-based, including the header. Cells repeat a lot, so each distinct code
and quantity is checked once.
"""

from collections.abc import Sequence

from supplier_returns.pasting.cells import split_rows, unify_line_ends
from supplier_returns.pasting.cleaning import NEEDS_CLEANING, clean_cell
from supplier_returns.pasting.column_cells import filled_columns
from supplier_returns.pasting.columns import UnknownColumns
from supplier_returns.pasting.layouts import find_layout, requested_layout
from supplier_returns.pasting.limits import PasteLimits
from supplier_returns.pasting.notes import shortened
from supplier_returns.pasting.pasted_table import PastedTable
from supplier_returns.pasting.proposals import propose_columns
from supplier_returns.pasting.refusal import PasteRefusedError
from supplier_returns.pasting.requested_columns import check_requested
from supplier_returns.pasting.rules import PasteRules
from supplier_returns.pasting.separators import TAB, find_separator, split_separated
from supplier_returns.pasting.table_reader import TableReader

SHOWN_ROWS = 5
"""Rows of the table in the response to unknown columns."""


def parse_paste(text: str, rules: PasteRules) -> PastedTable:
    """Parse a pasted table.

    Raises:
        PasteRefusedError: ``columns_unknown`` if the code and quantity columns are not certain,
            ``unreadable_paste``
        if there are no two columns, ``paste_too_large`` over a limit.
        RequestedColumnsError: the table doesn't have the requested columns.
    """
    text = unify_line_ends(text.removeprefix("\ufeff"))
    rows = _split(text, rules.limits)
    # Check the size first, since cleaning a huge table takes long.
    _check_size(rows, rules.limits)
    # The search misses blanks inside the quotes of a wrapped cell.
    if '"' in text or NEEDS_CLEANING.search(text) is not None:
        rows = [[clean_cell(cell) for cell in row] for row in rows]
    return read_table(rows, rules)


def _split(text: str, limits: PasteLimits) -> list[list[str]]:
    separator = find_separator(text)
    if separator == TAB:
        return split_rows(text, max_rows=limits.rows, max_columns=limits.columns)
    return split_separated(text, separator, max_rows=limits.rows, max_columns=limits.columns)


def read_table(rows: list[list[str]], rules: PasteRules) -> PastedTable:
    """Read a table of cleaned cells.

    Raises:
        PasteRefusedError: as in `parse_paste`, except for the limits of rows and columns.
        RequestedColumnsError: the table doesn't have the requested columns.
    """
    if rules.columns is not None:
        check_requested(rules.columns, max(map(len, rows), default=0))
        return TableReader(rows, requested_layout(rows, rules.columns), rules).read()
    layout = find_layout(rows)
    if isinstance(layout, UnknownColumns):
        raise _refusal_of(layout, rows)
    return TableReader(rows, layout, rules).read()


def _check_size(rows: Sequence[Sequence[str]], limits: PasteLimits) -> None:
    if len(rows) > limits.rows:
        raise PasteRefusedError(
            "paste_too_large", f"El texto tiene más de {limits.rows} filas; péguelo por partes."
        )
    if any(len(row) > limits.columns for row in rows):
        raise PasteRefusedError("paste_too_large", f"El texto tiene más de {limits.columns} columnas.")


def _refusal_of(unknown: UnknownColumns, rows: Sequence[Sequence[str]]) -> PasteRefusedError:
    if len(filled_columns(rows)) < 2:  # noqa: PLR2004 - one column leaves no choice
        message = (
            "No se reconoce una tabla: pegue una columna con el código del artículo y otra con la cantidad."
        )
        return PasteRefusedError("unreadable_paste", message)
    filled_rows = [row for row in rows if any(row)]
    members = {
        "filas": [[shortened(cell) for cell in row] for row in filled_rows[:SHOWN_ROWS]],
        "columnas": [
            {"indice": each.index, "posibles": [column.value for column in each.possible]}
            for each in propose_columns(rows, unknown.header_row)
        ],
    }
    message = f"{unknown.message} Indique las columnas."
    return PasteRefusedError("columns_unknown", message, members=members)
