"""Example bodies, generated from the shapes that endpoints declare."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from servicekit.endpoint.shape_problems import wire_name
from servicekit.endpoint.shapes import structure
from servicekit.errors import InvalidBody

NO_VOCABULARY: Final[Mapping[str, Any]] = {}

# Marks a missing value: no fitting word, or a class inside itself, at which the example ends.
_ABSENT: Final = object()

_PLAIN: Final[Mapping[Any, Any]] = {
    int: 1,
    float: 1.5,
    Decimal: 1.5,
    bool: False,
    date: "2026-03-02",
    datetime: "2026-03-02T14:05:09.120Z",
    NoneType: None,
    Any: None,
    object: None,
}


def example_of(shape: Any, vocabulary: Mapping[str, Any] = NO_VOCABULARY) -> Any:
    """Return a JSON-ready value that fits the shape.

    A property shows, in this order: its word of the vocabulary, its default, a value of its type. One that
    defaults to None shows its word or is left out. A word that the property's type does not allow is skipped.

    Args:
        shape: an attrs class, or another type such as `list[X]`.
        vocabulary: realistic values. The name is that of a property (`itemCode`), or of a property of one
            class (`LotShape.lote`), which wins.

    Raises:
        TypeError: the library does not read the type from JSON either.
    """
    return _Examples(vocabulary).value(shape, "text", ())


@attrs.frozen
class _Examples:
    _vocabulary: Mapping[str, Any]

    def value(self, shape: Any, name: str, within: tuple[Any, ...]) -> Any:
        """Return an example of a type; `name` is the text of a property without a word."""
        if shape is str:
            return name
        if shape in _PLAIN:
            return _PLAIN[shape]
        if get_origin(shape) is not None:
            return self._generic(get_origin(shape), get_args(shape), name, within)
        if isinstance(shape, type) and issubclass(shape, Enum):
            return next(iter(shape)).value
        if not isinstance(shape, type) or not attrs.has(shape):
            raise TypeError(f"no example for {shape!r}")
        if shape in within:
            return _ABSENT
        return dict(self._properties(shape, (*within, shape)))

    def _generic(self, origin: Any, arguments: tuple[Any, ...], name: str, within: tuple[Any, ...]) -> Any:
        if origin is Literal:
            return arguments[0]
        if origin in {Union, UnionType}:
            values = (self.value(each, name, within) for each in arguments)
            return next((each for each in values if each is not _ABSENT), _ABSENT)
        if origin in {list, tuple}:
            item = self.value(arguments[0], name, within)
            return [] if item is _ABSENT else [item]
        if origin in {dict, Mapping}:
            member = self.value(arguments[1], name, within)
            return {} if member is _ABSENT else {name: member}
        raise TypeError(f"no example for {origin!r}")

    def _properties(self, cls: type[Any], within: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
        hints = get_type_hints(cls)
        for field in attrs.fields(cls):
            if not field.init:
                continue
            name, shape = wire_name(field.name), hints[field.name]
            word = self._word(cls, name, shape)
            if word is not _ABSENT:
                yield name, word
            elif isinstance(field.default, str | int | float):
                yield name, field.default.value if isinstance(field.default, Enum) else field.default
            elif field.default is not None and (value := self.value(shape, name, within)) is not _ABSENT:
                yield name, value

    def _word(self, cls: type[Any], name: str, shape: Any) -> Any:
        for key in (f"{cls.__name__}.{name}", name):
            if key in self._vocabulary and _fits(self._vocabulary[key], shape):
                return self._vocabulary[key]
        return _ABSENT


def _fits(word: Any, shape: Any) -> bool:
    if get_origin(shape) in {Union, UnionType}:
        return any(_fits(word, each) for each in get_args(shape))
    if shape is NoneType:
        return word is None
    try:
        structure(word, shape)
    except InvalidBody:
        return False
    return True
