"""What numbers of a column count: declared, so that nobody adds up what differs, or guesses decimals."""

from collections.abc import Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Final, Literal, TypeAlias

from attrs import field, frozen

_UNROUNDED: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def without_end_zeros(number: Decimal) -> Decimal:
    """Return the same number without zeros at its end, and with every other digit."""
    return number.normalize(_UNROUNDED)


MeasureKind: TypeAlias = Literal["amount", "quantity"]


@frozen(kw_only=True)
class Measure:
    """What the numbers of a column count.

    Attributes:
        kind: an amount of money, or a quantity of something.
        by: the column of the same row, or of the record around it, that has the currency or the unit; None
            for an amount in the company's own currency.
        adds: whether a sum of them, of one currency or unit, says something.
    """

    kind: MeasureKind
    by: str | None = None
    adds: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether it is said of what numbers are: a quantity is never of the company's own unit."""
        return self.by is not None or self.kind == "amount"


@frozen(kw_only=True)
class Decimals:
    """How many decimals amounts have.

    Attributes:
        local: of the company's own currency; None where nobody has said.
        places: of currencies, by their codes.
        local_code: code of the company's own currency; None where nobody has said.
    """

    local: int | None = None
    places: Mapping[str, int] = field(factory=dict)
    local_code: str | None = None

    def written(self, value: object, currency: str | None) -> object:
        """Return a number with its currency's decimals, with more where it has them; anything else as it is.

        Args:
            value: the amount.
            currency: its code; None for the company's own.
        """
        places = self.local if currency is None else self.places.get(currency)
        if places is None or isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return value
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if not number.is_finite():
            return value
        exponent = min(-places, int(without_end_zeros(number).as_tuple().exponent))
        return number.quantize(Decimal(1).scaleb(exponent), context=_UNROUNDED)
