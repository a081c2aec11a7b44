"""Split clipboard text of a spreadsheet into rows of cells.

Cells are separated by tabs, and rows end with a line end. A spreadsheet wraps a cell with a line break in
double quotes and doubles its inner quotes. It does not wrap a cell that only contains a quote, even at its
start. Python's ``csv`` module therefore reads everything after an inch sign at the start of a cell as one
cell. This scanner does not.
"""

import re
from collections.abc import Iterator
from itertools import islice

MAX_WRAPPED_CELL = 32_767
"""Maximum characters in a cell of a spreadsheet."""

MAX_ROWS = 1_048_576
"""Maximum rows of a sheet."""

MAX_COLUMNS = 16_384
"""Maximum columns of a sheet."""

_WRAPPED_BEGIN = re.compile(r'(?:\A|[\t\n])"')
_INSIDE_WRAPPED = re.compile(r'[^"\t]*(?:""[^"\t]*)*"(?=[\t\n]|\Z)')


def unify_line_ends(text: str) -> str:
    """Replace CRLF and CR by LF, also inside wrapped cells."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_rows(text: str, *, max_rows: int = MAX_ROWS, max_columns: int = MAX_COLUMNS) -> list[list[str]]:
    """Return the cells of each row. The last line end does not start another row.

    If the text has more than `max_rows` rows, the result has one row more than that. If a row has more than
    `max_columns` cells, the result has one cell more than that, and ends with this row. So a text of line
    ends or tabs costs no more than a table of the allowed size.

    A cell is wrapped only if a tab, a line end or the end of the text follows its closing quote. It must also
    contain a line break or a doubled quote, no tab, and at most `MAX_WRAPPED_CELL` characters. Any other cell
    that starts with a quote is literal text, so that a single quote affects only its own cell.

    Args:
        text: pasted text without a byte order mark, with the line ends of `unify_line_ends`.
        max_rows: maximum rows.
        max_columns: maximum columns.
    """
    text = text.removesuffix("\n")
    if not text:
        return []
    # Most pastes have no wrapped cell, and `str.split` is much faster than the scanner.
    if _WRAPPED_BEGIN.search(text) is None:
        lines = text.split("\n", max_rows + 1)
        return [line.split("\t", max_columns) for line in lines[: max_rows + 1]]
    return list(islice(_rows_with_quotes(text, max_columns), max_rows + 1))


def _rows_with_quotes(text: str, max_columns: int) -> Iterator[list[str]]:
    row: list[str] = []
    position, line_end, end = 0, -1, len(text)
    while True:
        wrapped = _wrapped_cell(text, position) if text.startswith('"', position) else None
        if wrapped is not None:
            cell, position = wrapped
            row.append(cell)
        else:
            if line_end < position:  # searched once per line, which may have millions of cells
                line_end = text.find("\n", position)
                line_end = end if line_end < 0 else line_end
            next_wrapped = text.find('\t"', position, line_end)
            literal_end = line_end if next_wrapped < 0 else next_wrapped
            row.extend(text[position:literal_end].split("\t", max_columns))
            position = literal_end
        if position >= end or len(row) > max_columns:
            yield row[: max_columns + 1]
            return
        if text[position] == "\n":
            yield row
            row = []
        position += 1


def _wrapped_cell(text: str, begin: int) -> tuple[str, int] | None:
    """Return the wrapped cell that starts here and the position after it, or None for a literal cell."""
    # Search one character beyond the maximum, since the end of the range would match `\Z`.
    match = _INSIDE_WRAPPED.match(text, begin + 1, begin + MAX_WRAPPED_CELL + 3)
    if match is None or match.end() - begin - 2 > MAX_WRAPPED_CELL:
        return None
    inside = text[begin + 1 : match.end() - 1]
    if "\n" not in inside and '""' not in inside:
        return None
    return inside.replace('""', '"'), match.end()
