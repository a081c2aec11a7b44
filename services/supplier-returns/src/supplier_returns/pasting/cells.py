"""Cuts the text that a spreadsheet puts on the clipboard into rows of cells.

What arrives: a tab between cells, a line end after each row. A cell that holds a line break is wrapped in
double quotes with inner quotes doubled; a cell that merely holds a quote is not wrapped, also when it begins
with one. Python's ``csv`` module therefore swallows everything after an inch sign at the start of a cell;
this scanner does not.
"""

import re
from collections.abc import Iterator
from itertools import islice

MAX_WRAPPED_CELL = 32_767
"""Characters that a cell of a spreadsheet can hold."""

MAX_ROWS = 1_048_576
"""Rows that a sheet can hold."""

MAX_COLUMNS = 16_384
"""Columns that a sheet can hold."""

_WRAPPED_BEGIN = re.compile(r'(?:\A|[\t\n])"')
_INSIDE_WRAPPED = re.compile(r'[^"\t]*(?:""[^"\t]*)*"(?=[\t\n]|\Z)')


def unify_line_ends(text: str) -> str:
    """Turn CRLF and lone CR into LF, inside wrapped cells too."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_rows(text: str, *, max_rows: int = MAX_ROWS, max_columns: int = MAX_COLUMNS) -> list[list[str]]:
    """Return the cells of each row, in order; the last line end makes no row of its own.

    Of a text with more than `max_rows` rows only that many and one more are returned, and of a row with more
    than `max_columns` cells only that many and one more, so that a text of line ends or tabs alone costs no
    more than a table of the allowed size. Nothing may come after such a row.

    A cell counts as wrapped only if its closing quote is followed by a tab, a line end or the end of the
    text, and if it holds a line break or a doubled quote, no tab, and at most `MAX_WRAPPED_CELL` characters.
    Anything else beginning with a quote is literal text, so that a lone quote affects its own cell only.

    Args:
        text: The pasted text, without a byte order mark, its line ends unified by `unify_line_ends`.
        max_rows: As many as the caller wants.
        max_columns: Likewise.
    """
    text = text.removesuffix("\n")
    if not text:
        return []
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
            if line_end < position:  # looked for once a line, since a line may have millions of cells
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
    """Return the unwrapped cell whose quote is at ``begin`` and the position behind it; None if literal."""
    # One character more than a cell may hold: the end of what is looked at is not the end of the text.
    match = _INSIDE_WRAPPED.match(text, begin + 1, begin + MAX_WRAPPED_CELL + 3)
    if match is None or match.end() - begin - 2 > MAX_WRAPPED_CELL:
        return None
    inside = text[begin + 1 : match.end() - 1]
    if "\n" not in inside and '""' not in inside:
        return None
    return inside.replace('""', '"'), match.end()
