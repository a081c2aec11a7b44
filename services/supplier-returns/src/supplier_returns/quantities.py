"""Exact quantities: their decimals, rounding and text."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

MAX_DECIMALS: Final = 6
"""Maximum decimals in responses."""

_STEP: Final = Decimal(1).scaleb(-MAX_DECIMALS)


def rounded(number: Decimal) -> Decimal:
    """Return the number for JSON: at most six decimals, no exponent, no trailing zeros.

    Halves are rounded up as in the record, so that the response to a write equals a later read.
    """
    number = number.quantize(_STEP, ROUND_HALF_UP).normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


def decimals_of(value: Decimal) -> int:
    """Return the number of decimals without trailing zeros (``1.50`` has one)."""
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def quantity_text(number: Decimal) -> str:
    """Format a quantity in the Chilean style without trailing zeros (`2,5`)."""
    text = f"{number:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", ",")


ZERO = Decimal(0)
