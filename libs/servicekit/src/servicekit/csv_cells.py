"""Formats values as CSV texts that no spreadsheet interprets as formulas, whichever separator it splits at.

A value is None, bool, int, float, `Decimal`, str, bytes, date, time or datetime; anything else is shown as
compact JSON.
"""

import base64
import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import Final

import msgspec

# Line ends, as `str.splitlines` counts them.
_BREAKS: Final = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"

# `=`, `+`, `-` and `@`, each with the characters that NFKC normalizes to it.
#
# Spreadsheets treat the full-width forms like the plain ones.
_SIGNS: Final = (
    r"=\uff1d\ufe66\u207c\u208c\u2a75\u2a76"
    r"+\uff0b\ufe62\u207a\u208a\ufb29"
    r"\-\uff0d\ufe63\u2212\u207b\u208b"
    r"@\uff20\ufe6b"
)

# Quotes, blanks, controls and invisible characters, which a reader may drop before it looks for a sign.
_SKIPPED: Final = (
    r'"\x00-\x08\x0e-\x1b\x1f \x7f-\x84\x86-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f'
    r"\u3000\ufeff\ufff9-\ufffb"
)

_SIGN: Final = re.compile(f"[{_SIGNS}]")
_FIELD_END: Final = re.compile(rf"[{_BREAKS},;|\t]")
# Text before the sign of a formula. The `'` is inserted after it.
_FORMULA: Final = re.compile(
    rf"""
    (?: ^ | [{_BREAKS}] | (?P<separator>[,;|\t]) ) [{_SKIPPED}]*+
    (?! [+-][0-9]+(?:[.,][0-9]+)? [{_SKIPPED}]*+ (?: \Z | (?P=separator) ) )  # a number
    (?= [{_SIGNS}] )
    """,
    re.VERBOSE,
)

_ENDS_NEGATIVE: Final = re.compile(r"[+-][0-9.]+\Z")
_PLAIN: Final = re.compile(r"(?:[+-]?[0-9]+(?:\.[0-9]+)?)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NULL: Final = "\0"
_REPLACEMENT: Final = "\ufffd"

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")

BOM: Final = b"\xef\xbb\xbf"
"""Byte order mark by which Excel recognises UTF-8."""


class CsvCells:
    """Values as CSV texts, quoted if needed.

    Args:
        separator: `;` goes with a decimal comma, `,` with a point.
    """

    def __init__(self, separator: str) -> None:
        self._comma = separator == ";"
        self._separator = separator
        self._special = re.compile(f'["\r\n{separator}]|^[ \t]|[ \t]$')

    def line(self, values: "list[object] | tuple[object, ...]") -> str:
        """Return a row with its line end."""
        cells = [self.text(value) for value in values]
        if not self._comma:
            self._part_from_numbers(cells)
        return self._separator.join(cells) + "\r\n"

    def text(self, value: object) -> str:
        """Return one cell."""
        kind = type(value)
        if value is None:
            return ""
        if isinstance(value, str):
            return self._quoted(neutralised(writable(value).replace(_NULL, _REPLACEMENT)))
        if kind is bool:
            return self._truth(value=bool(value))
        if isinstance(value, int | float | Decimal):
            return self._quoted(self._number(value))
        return self._quoted(neutralised(as_text(value)))

    def _part_from_numbers(self, cells: list[str]) -> None:
        """Quote each text after a signed number."""
        # A reader that does not split at commas reads the cells `-5` and `3+A1` as the formula `-5,3+A1`.
        for place, before in enumerate(cells[:-1], 1):
            after = cells[place]
            if _ENDS_NEGATIVE.search(before) and not after.startswith('"') and not _PLAIN.fullmatch(after):
                cells[place] = f'"{after}"'

    def _truth(self, *, value: bool) -> str:
        words = ("FALSO", "VERDADERO") if self._comma else ("FALSE", "TRUE")
        return words[value]

    def _number(self, value: float | Decimal) -> str:
        text = plain_number(value)
        if not text[-1].isdigit():
            return neutralised(text)  # an infinity
        return text.replace(".", ",") if self._comma else text

    def _quoted(self, text: str) -> str:
        if self._special.search(text):
            return '"' + text.replace('"', '""') + '"'
        return text


def neutralised(text: str) -> str:
    """Return a text that no reader of the CSV interprets as a formula.

    A `'` goes before each sign with which a field could begin: at the start of the text, and after a line
    break or any usual separator, because the reader may split at another one than the writer. A number is
    unchanged.
    """
    if not _SIGN.search(text) or (text[0].isalnum() and not _FIELD_END.search(text)):
        return text  # Fast path for nearly every text: the substitution is slow.
    return _FORMULA.sub(r"\g<0>'", text)


def plain_number(value: float | Decimal) -> str:
    """Return a number with all its digits, without an exponent, with a decimal point."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        value = Decimal(repr(value))
    return format(value, "f")


def as_text(value: object) -> str:
    """Return a value that is neither text nor number as text; midnight as its day alone."""
    if isinstance(value, datetime):
        if is_day(value):
            return value.date().isoformat()
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return writable(_ENCODER.encode(value).decode("utf-8"))


def is_day(value: datetime) -> bool:
    """Return whether a moment without a zone is a midnight, which represents its day."""
    return value.tzinfo is None and not (value.hour or value.minute or value.second or value.microsecond)


def writable(text: str) -> str:
    """Return the text with halves of surrogate pairs replaced: they have no UTF-8 form."""
    return text if text.isascii() or not _SURROGATE.search(text) else _SURROGATE.sub(_REPLACEMENT, text)
