"""Bodies beside the values that they stand for: each field says which attribute it is."""

from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from typing import Any, Final, TypeVar, get_args

import attrs

from supplier_returns.quantities import rounded

_SOURCE: Final = "source"

S = TypeVar("S")


def attribute(path: str, **more: Any) -> Any:
    """Declare a field that stands for this attribute (`receipt.factor`: one inside), not that of its name.

    Args:
        path: of the attribute.
        more: as `attrs.field` takes it.
    """
    return attrs.field(metadata={_SOURCE: path}, **more)


def to_shape(shape: type[S], value: object, **fields: object) -> S:
    """Return an answer that shows a value, numbers rounded and enumerations by their value.

    Args:
        shape: the answer's class; answers inside it are filled likewise.
        value: what has the attributes.
        fields: Fields that show something else.
    """
    untyped: Any = shape
    sources = _sources(untyped)
    return shape(**fields, **{name: show(find(value)) for name, find, show in sources if name not in fields})


def attributes_of(body: Any, *names: str) -> dict[str, Any]:
    """Return what a request's body tells, by the attributes that its fields stand for.

    Args:
        body: of a class that says which.
        names: of the fields that count; all of them when omitted.
    """
    return {
        source: getattr(body, each.name)
        for each, source in _fields(type(body))
        if not names or each.name in names
    }


@cache
def _sources(shape: Any) -> list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]]:
    return [(each.name, attrgetter(source), _shower(each.type)) for each, source in _fields(shape)]


def _fields(shape: Any) -> list[tuple[Any, str]]:
    return [(each, each.metadata.get(_SOURCE, each.name)) for each in attrs.fields(shape)]


def _shower(kind: Any) -> Callable[[Any], Any]:
    if attrs.has(kind):
        return partial(to_shape, kind)
    items = [each for each in get_args(kind) if attrs.has(each)]
    return (lambda values: tuple(to_shape(items[0], each) for each in values)) if items else _plain


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return rounded(value)
    return value.value if isinstance(value, Enum) else value
