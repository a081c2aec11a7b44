"""Notes about cells."""

import re

from supplier_returns.pasting.columns import Column
from supplier_returns.pasting.pasted_table import CellNote

MAX_SHOWN_VALUE = 60
"""Maximum characters of a value in a note, and in the response to unknown columns."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]")


def note_of(row: int, column: Column | None, value: str, code: str, message: str) -> CellNote:
    """Return a note about a cell, with its shortened value."""
    return CellNote(row, column and column.value, shortened(value), code, message)


def shortened(value: str) -> str:
    """Return a value without control characters, cut at `MAX_SHOWN_VALUE` characters."""
    value = CONTROL.sub(" ", value)
    return value if len(value) <= MAX_SHOWN_VALUE else value[: MAX_SHOWN_VALUE - 1] + "…"
