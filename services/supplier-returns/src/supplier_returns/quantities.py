"""Exact quantities: how many decimals they have, and how they are rounded and written."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

MAX_DECIMALS: Final = 6
"""Decimals that answers show at most."""

_STEP: Final = Decimal(1).scaleb(-MAX_DECIMALS)


def rounded(number: Decimal) -> Decimal:
    """Return the number as JSON shows it: at most six decimals, no exponent, no needless zeros.

    Halves go up, as in the record: what a write answers is what is read afterwards.
    """
    number = number.quantize(_STEP, ROUND_HALF_UP).normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


def decimals_of(value: Decimal) -> int:
    """Return how many decimals ``value`` needs; trailing zeros don't count (``1.50`` needs one)."""
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def quantity_text(number: Decimal) -> str:
    """Write a quantity as Chile does, without needless zeros (`2,5`)."""
    text = f"{number:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", ",")


ZERO = Decimal(0)
