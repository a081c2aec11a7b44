"""Units of a column's numbers: money or quantities, and their decimals."""

from collections.abc import Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Final, Literal, TypeAlias

from attrs import field, frozen

_UNROUNDED: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def without_end_zeros(number: Decimal) -> Decimal:
    """Return the same number without trailing zeros."""
    return number.normalize(_UNROUNDED)


MeasureKind: TypeAlias = Literal["amount", "quantity"]


@frozen(kw_only=True)
class Measure:
    """Unit of a column's numbers.

    Attributes:
        kind: an amount of money, or a quantity.
        by: column of the same row, or of the record around it, with the currency or unit; None for an amount
            in the company's own currency.
        adds: whether a sum of numbers of one currency or unit is meaningful.
    """

    kind: MeasureKind
    by: str | None = None
    adds: bool = True

    @property
    def is_whole(self) -> bool:
        """True if the declaration is complete: a quantity needs a column with its unit."""
        return self.by is not None or self.kind == "amount"


@frozen(kw_only=True)
class Decimals:
    """Number of decimals of amounts.

    Attributes:
        local: of the company's own currency; None if unknown.
        places: by currency code.
        local_code: code of the company's own currency; None if unknown.
    """

    local: int | None = None
    places: Mapping[str, int] = field(factory=dict)
    local_code: str | None = None

    def written(self, value: object, currency: str | None) -> object:
        """Return a number with at least its currency's decimals; return anything else unchanged.

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
