"""How many digits a number really has. No I/O."""

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Final

_UNROUNDED: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""The usual one would round to 28 digits."""


def without_end_zeros(number: Decimal) -> Decimal:
    """Return the same number without zeros at its end, and with every other digit."""
    return number.normalize(_UNROUNDED)
