"""Values as the texts of a CSV that a spreadsheet opens, none of them as a formula.

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

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_LONE_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NULL: Final = "\0"
_REPLACEMENT: Final = "\ufffd"

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")

BOM: Final = b"\xef\xbb\xbf"
"""By it Excel knows UTF-8."""


class CsvCells:
    """Values as texts of a CSV, quoted where that is needed.

    Args:
        separator: `;` goes with a decimal comma, `,` with a point.
    """

    def __init__(self, separator: str) -> None:
        self._comma = separator == ";"
        self._separator = separator
        self._special = re.compile(f'["\r\n{separator}]|^[ \t]|[ \t]$')

    def line(self, values: "list[object] | tuple[object, ...]") -> str:
        """Return a row with its line end."""
        return self._separator.join([self.text(value) for value in values]) + "\r\n"

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

    def _truth(self, *, value: bool) -> str:
        words = ("FALSO", "VERDADERO") if self._comma else ("FALSE", "TRUE")
        return words[value]

    def _number(self, value: float | Decimal) -> str:
        text = plain_number(value)
        return text.replace(".", ",") if self._comma else text

    def _quoted(self, text: str) -> str:
        if self._special.search(text):
            return '"' + text.replace('"', '""') + '"'
        return text


def neutralised(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: with `'` before it where it begins like one.

    What is nothing but a number stays as it is, whatever its sign.
    """
    if text.startswith(_FORMULA_STARTS) and not _LONE_NUMBER.fullmatch(text):
        return f"'{text}"
    return text


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
    """Return what is neither text nor number as text; a midnight as its day alone."""
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
    """Tell whether a moment without a zone is a midnight, which stands for its day."""
    return value.tzinfo is None and not (value.hour or value.minute or value.second or value.microsecond)


def writable(text: str) -> str:
    """Return the text with halves of surrogate pairs replaced: they have no UTF-8 form."""
    return text if text.isascii() or not _SURROGATE.search(text) else _SURROGATE.sub(_REPLACEMENT, text)
