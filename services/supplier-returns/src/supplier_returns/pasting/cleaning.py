"""Remove special blanks and invisible characters from cells."""

import re

_ZERO_WIDTH = (
    "\ufeff\u200b\u200c\u200d\u2060\u00ad"
    "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # writing direction
)
# Spreadsheets write non-breaking spaces into formatted numbers, such as `15 %`.
_ODD_BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " "})
_BLANKS = " \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
NEEDS_CLEANING = re.compile(
    f"[\u00a0\u202f\u2007{_ZERO_WIDTH}\x0b\x0c\x1c-\x1f\x85\u2028\u2029]|(?:^|[\t\n]) | (?:[\t\n]|$)"
)


def clean_cell(cell: str) -> str:
    """Replace special blanks, and remove blanks and invisible characters at both ends."""
    return cell.translate(_ODD_BLANKS).strip(_BLANKS + _ZERO_WIDTH)
