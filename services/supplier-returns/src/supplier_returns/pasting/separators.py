"""Find out what separates the cells of a pasted text, and split texts that use no tabs.

Spreadsheets copy cells with tabs. Mails, chats and CSV files use semicolons, commas or pipes.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from supplier_returns.pasting.cells import MAX_WRAPPED_CELL
from supplier_returns.pasting.column_cells import is_number
from supplier_returns.pasting.refusal import PasteRefusedError

TAB: Final = "\t"

SEPARATORS: Final = (";", "|", ",")
"""From the least to the most common character in texts and numbers."""

_SEARCH_ROWS: Final = 50
"""Rows that decide about the separator."""


def find_separator(text: str) -> str:
    """Return the separator of a text; a tab if no other one splits all rows alike.

    Args:
        text: pasted text with the line ends of `unify_line_ends`.
    """
    if TAB in text:
        return TAB
    lines = [line for line in islice(text.split("\n", 2 * _SEARCH_ROWS), 2 * _SEARCH_ROWS) if line.strip()]
    for separator in SEPARATORS:
        # In `1,5` the comma is part of a number, so the text has one column.
        if separator == "," and any(is_number(line.strip()) for line in lines):
            continue
        if _splits_alike(lines, separator):
            return separator
    return TAB


def split_separated(text: str, separator: str, *, max_rows: int, max_columns: int) -> list[list[str]]:
    """Return the cells of each row of a text with separators (RFC 4180: quotes wrap a cell).

    As in `split_rows`, one row or cell more than the limit shows that the text exceeds it.

    Raises:
        PasteRefusedError: ``paste_too_large`` if a cell has more than `MAX_WRAPPED_CELL` characters.
    """
    rows: list[list[str]] = []
    for row in islice(_rows(io.StringIO(text, newline=""), separator), max_rows + 1):
        rows.append([cell.strip() for cell in row[: max_columns + 1]])
        if any(len(cell) > MAX_WRAPPED_CELL for cell in rows[-1]):
            message = f"Una celda tiene más de {MAX_WRAPPED_CELL} caracteres: falta cerrar una comilla."
            raise PasteRefusedError("paste_too_large", message)
        if len(row) > max_columns:
            break
    return rows


def _splits_alike(lines: Iterable[str], separator: str) -> bool:
    """Return whether all rows have the same number of cells, apart from titles above the table."""
    widths = [len(row) for row in islice(_rows(lines, separator), _SEARCH_ROWS)]
    first = next((index for index, width in enumerate(widths) if width > 1), None)
    return first is not None and len(set(widths[first:])) == 1


def _rows(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=separator)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:  # a cell of more than 128 KiB, after a quote that nobody closed
            message = "Una celda es demasiado larga: falta cerrar una comilla."
            raise PasteRefusedError("paste_too_large", message) from error
        yield row
