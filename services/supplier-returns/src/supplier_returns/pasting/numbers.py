"""Reads quantities as spreadsheets show them, in Spanish and English styles, without ever guessing silently.

Neither `decimal.Decimal` nor a locale library is safe here: they take ``1_000``, ``NaN``, exponents, digits
of other scripts, and read ``1.5`` as fifteen in a Chilean locale.
"""

import enum
import re
from decimal import Decimal

from attrs import frozen

MAX_INTEGER_DIGITS = 12
MAX_TEXT = 2 * MAX_INTEGER_DIGITS + 8
"""Characters of the longest cell that is read as a number."""

GROUP = 3
"""Digits between two grouping separators."""


class NumberFormat(enum.Enum):
    """How ``1.234`` and ``1,234`` are read when nothing else in the column tells."""

    AUTO = "auto"
    SPANISH = "es"
    ENGLISH = "en"


class Style(enum.Enum):
    """Which character a number proves to be its decimal separator."""

    COMMA_DECIMALS = "es"
    POINT_DECIMALS = "en"


@frozen
class NumberText:
    """A well-formed number whose reading may depend on the style of its column.

    Attributes:
        spanish: The value if the comma separates decimals, None where that reading is impossible.
        english: The value if the point separates decimals, None where that reading is impossible.
    """

    spanish: Decimal | None
    english: Decimal | None

    @property
    def proves(self) -> Style | None:
        """The style that this number alone gives away; None if both readings agree or both are possible."""
        if self.spanish is None:
            return Style.POINT_DECIMALS
        return Style.COMMA_DECIMALS if self.english is None else None

    @property
    def is_ambiguous(self) -> bool:
        """Whether the two styles give two different values."""
        return None not in (self.spanish, self.english) and self.spanish != self.english

    def value(self, style: Style) -> Decimal:
        """Return the value; ``style`` decides only where both readings are possible."""
        first, second = self.spanish, self.english
        if style is Style.POINT_DECIMALS:
            first, second = second, first
        chosen = first if first is not None else second
        if chosen is None:  # pragma: no cover - parse_number never makes a number without a reading
            raise ValueError("a number without a reading")
        return chosen


class NumberProblem(enum.Enum):
    """Why a cell is no quantity; the value is the stable code that a client sees."""

    EMPTY = "quantity_missing"
    NOT_A_NUMBER = "quantity_not_a_number"
    SIGN = "quantity_signed"
    ZERO = "quantity_zero"
    EXPONENT = "quantity_exponent"
    PERCENT_OR_CURRENCY = "quantity_with_unit"
    GROUPING = "quantity_grouping"
    TOO_LARGE = "quantity_too_large"
    DECIMALS = "quantity_decimals"


_PLAIN = re.compile(r"[0-9]+")
_ONE_SEPARATOR = re.compile(r"([0-9]+)([.,])([0-9]+)")
_SHAPE = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_SPANISH = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?")
_ENGLISH = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_EXPONENT = re.compile(r"[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]+")
_SIGNED = re.compile(r"[+\-\u2212(].*[0-9].*", re.DOTALL)


def parse_number(text: str) -> NumberText | NumberProblem:
    """Read one cell, already free of surrounding blanks.

    Returns:
        The number with its possible readings, or why it is none.
    """
    if len(text) > MAX_TEXT:  # before any arithmetic on it
        return NumberProblem.TOO_LARGE if _SHAPE.fullmatch(text) else NumberProblem.NOT_A_NUMBER
    number = _read(text)
    return _why_not(text) if number is None else _checked(number)


def find_proof(text: str) -> Style | None:
    """Return the style that a cell gives away, even if it is no quantity: ``0,00``, ``-2,5``, ``(2,5)``."""
    number = _read(text.strip("+-\u2212( )")) if len(text) <= MAX_TEXT else None
    return None if number is None else number.proves


def _read(text: str) -> NumberText | None:
    if _PLAIN.fullmatch(text):
        value = Decimal(text)
        return NumberText(value, value)
    one = _ONE_SEPARATOR.fullmatch(text)
    if one is not None:
        return _one_separator(*one.groups())
    if _SPANISH.fullmatch(text) and not text.startswith("0"):
        return NumberText(Decimal(text.replace(".", "").replace(",", ".")), None)
    if _ENGLISH.fullmatch(text) and not text.startswith("0"):
        return NumberText(None, Decimal(text.replace(",", "")))
    return None


def _one_separator(before: str, separator: str, after: str) -> NumberText:
    decimal = Decimal(f"{before}.{after}")
    grouped = (
        Decimal(before + after) if len(after) == GROUP and len(before) <= GROUP and before[0] != "0" else None
    )
    return NumberText(decimal, grouped) if separator == "," else NumberText(grouped, decimal)


def _checked(number: NumberText) -> NumberText | NumberProblem:
    readings = [value for value in (number.spanish, number.english) if value is not None]
    if not any(readings):
        return NumberProblem.ZERO
    if any(value >= Decimal(10) ** MAX_INTEGER_DIGITS for value in readings):
        return NumberProblem.TOO_LARGE
    return number


def _why_not(text: str) -> NumberProblem:
    if not text:
        return NumberProblem.EMPTY
    if _EXPONENT.fullmatch(text):
        return NumberProblem.EXPONENT
    if _SIGNED.fullmatch(text):
        return NumberProblem.SIGN
    if _SHAPE.fullmatch(text):
        return NumberProblem.GROUPING
    stripped = text.strip("%$€£ \u00a0\u202f").removeprefix("CLP").removeprefix("US$").strip("% \u00a0\u202f")
    if stripped != text and _SHAPE.fullmatch(stripped):
        return NumberProblem.PERCENT_OR_CURRENCY
    return NumberProblem.NOT_A_NUMBER
