"""Parse quantities in Spanish and English formats, and report ambiguous ones.

Neither `decimal.Decimal` nor a locale library is safe here: they accept ``1_000``, ``NaN``, exponents and
digits of other scripts, and a Chilean locale reads ``1.5`` as fifteen.
"""

import enum
import re
from decimal import Decimal

from attrs import frozen

MAX_INTEGER_DIGITS = 12
MAX_TEXT = 2 * MAX_INTEGER_DIGITS + 8
"""Maximum characters of a cell that is parsed as a number."""

GROUP = 3
"""Digits between two grouping separators."""


class NumberFormat(enum.Enum):
    """Format for ``1.234`` and ``1,234`` if no other cell of the column proves one."""

    AUTO = "auto"
    SPANISH = "es"
    ENGLISH = "en"


class Style(enum.Enum):
    """Decimal separator of a number."""

    COMMA_DECIMALS = "es"
    POINT_DECIMALS = "en"


@frozen
class NumberText:
    """Well-formed number, whose value may depend on the style of its column.

    Attributes:
        spanish: value with a decimal comma, if the text allows it.
        english: value with a decimal point, if the text allows it.
    """

    spanish: Decimal | None
    english: Decimal | None

    @property
    def proven_style(self) -> Style | None:
        """Style that this number proves, or None if both styles are possible."""
        if self.spanish is None:
            return Style.POINT_DECIMALS
        return Style.COMMA_DECIMALS if self.english is None else None

    @property
    def is_ambiguous(self) -> bool:
        """True if the two styles give different values."""
        return None not in (self.spanish, self.english) and self.spanish != self.english

    def value(self, style: Style) -> Decimal:
        """Return the value. The style decides only if both are possible."""
        first, second = self.spanish, self.english
        if style is Style.POINT_DECIMALS:
            first, second = second, first
        chosen = first if first is not None else second
        if chosen is None:  # pragma: no cover - parse_number never makes a number without a reading
            raise ValueError("a number without a reading")
        return chosen


class NumberProblem(enum.Enum):
    """Reason why a cell is not a quantity. The value is a stable code for clients."""

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
    """Parse one cell without surrounding blanks.

    Returns:
        the number with its possible values, or the reason why it is not a number.
    """
    if len(text) > MAX_TEXT:  # before any arithmetic, which a long text makes slow
        return NumberProblem.TOO_LARGE if _SHAPE.fullmatch(text) else NumberProblem.NOT_A_NUMBER
    number = _parse(text)
    return _problem_of(text) if number is None else _checked(number)


def find_style(text: str) -> Style | None:
    """Return the style that a cell proves, even if it is not a quantity: ``0,00``, ``-2,5``, ``(2,5)``."""
    number = _parse(text.strip("+-\u2212( )")) if len(text) <= MAX_TEXT else None
    return None if number is None else number.proven_style


def _parse(text: str) -> NumberText | None:
    if _PLAIN.fullmatch(text):
        value = Decimal(text)
        return NumberText(value, value)
    single = _ONE_SEPARATOR.fullmatch(text)
    if single is not None:
        return _one_separator(*single.groups())
    # No spreadsheet groups digits after a leading zero.
    if _SPANISH.fullmatch(text) and not text.startswith("0"):
        return NumberText(Decimal(text.replace(".", "").replace(",", ".")), None)
    if _ENGLISH.fullmatch(text) and not text.startswith("0"):
        return NumberText(None, Decimal(text.replace(",", "")))
    return None


def _one_separator(before: str, separator: str, after: str) -> NumberText:
    decimal = Decimal(f"{before}.{after}")
    # Three digits after the separator may be a group, unless 0 or more than three digits precede it.
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


def _problem_of(text: str) -> NumberProblem:
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
