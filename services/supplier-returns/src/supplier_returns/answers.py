"""Filling answers from values: each field of an answer says which attribute it shows."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from typing import Any, Final, TypeVar, get_args

import attrs

MAX_DECIMALS: Final = 6
"""Decimals that answers show at most."""

_STEP: Final = Decimal(1).scaleb(-MAX_DECIMALS)
_SOURCE: Final = "source"

S = TypeVar("S")


def of(path: str, **more: Any) -> Any:
    """Declare a field that shows this attribute (`receipt.factor` is one inside), not the one of its name.

    Args:
        path: of the attribute.
        more: as `attrs.field` takes it.
    """
    return attrs.field(metadata={_SOURCE: path}, **more)


def shown(shape: type[S], value: object, **told: object) -> S:
    """Return an answer that shows a value, numbers rounded and enumerations by their value.

    Args:
        shape: the answer's class; answers inside it are filled likewise.
        value: what has the attributes.
        told: fields that show something else.
    """
    known: Any = shape
    sources = _sources(known)
    return shape(**told, **{name: show(find(value)) for name, find, show in sources if name not in told})


def rounded(number: Decimal) -> Decimal:
    """Return the number as JSON shows it: at most six decimals, no exponent, no needless zeros.

    Halves go up, as in the record: what a write answers is what is read afterwards.
    """
    number = number.quantize(_STEP, ROUND_HALF_UP).normalize()
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number


@cache
def _sources(shape: Any) -> list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]]:
    return [
        (each.name, attrgetter(each.metadata.get(_SOURCE, each.name)), _shower(each.type))
        for each in attrs.fields(shape)
    ]


def _shower(kind: Any) -> Callable[[Any], Any]:
    if attrs.has(kind):
        return partial(shown, kind)
    items = [each for each in get_args(kind) if attrs.has(each)]
    return (lambda values: tuple(shown(items[0], each) for each in values)) if items else _plain


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return rounded(value)
    return value.value if isinstance(value, Enum) else value
