"""Request and response bodies that map their fields to attributes of values."""

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
    """Declare a field for another attribute path. `receipt.factor` belongs to a nested value.

    Args:
        path: path of the attribute.
        more: further arguments of `attrs.field`.
    """
    return attrs.field(metadata={_SOURCE: path}, **more)


def to_shape(shape: type[S], value: object, **fields: object) -> S:
    """Return a response body for a value, with rounded numbers and the values of enumerations.

    Args:
        shape: class of the body. Nested bodies are filled in the same way.
        value: value with the attributes.
        fields: fields with other values.
    """
    untyped: Any = shape
    sources = _sources(untyped)
    return shape(**fields, **{name: show(find(value)) for name, find, show in sources if name not in fields})


def attributes_of(body: Any, *names: str) -> dict[str, Any]:
    """Return the values of a request body by their attribute names.

    Args:
        body: request body.
        names: fields to return. By default, all of them.
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
