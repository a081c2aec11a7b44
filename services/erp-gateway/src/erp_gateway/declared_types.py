"""Whether declarations written by hand hold what their classes say: Python itself does not look."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import attrs

ADD_A_COMMA: Final = "add a comma behind its only entry, (ENTRY,)"
"""What is missing where `(ENTRY)` was written for a tuple of one."""


def type_problems(value: attrs.AttrsInstance, at: str) -> Iterator[str]:
    """Yield what is of another type than the value's class declares, one sentence for each place.

    Args:
        value: a declaration; whatever of its kind it holds is looked at, too.
        at: what to call it, such as `EXTENSION`.
    """
    hints = get_type_hints(type(value))
    place = getattr(value, "declared_at", None)
    for field in attrs.fields(type(value)):
        for problem in _problems(getattr(value, field.name), hints[field.name], f"{at}.{field.name}"):
            yield problem if place is None else f"{problem} ({place})"


def _problems(value: object, hint: Any, at: str) -> Iterator[str]:
    shape, parts = get_origin(hint), get_args(hint)
    if shape in (tuple, frozenset) and isinstance(value, shape):
        for index, each in enumerate(value):
            yield from _problems(each, parts[0], f"{at}[{index}]")
    elif shape is Mapping and isinstance(value, Mapping):
        for name, each in value.items():
            yield from _problems(name, parts[0], f"{at}: the name {name!r}")
            yield from _problems(each, parts[1], f"{at}[{name!r}]")
    elif isinstance(hint, type) and attrs.has(hint) and isinstance(value, hint):
        yield from type_problems(value, at)
    elif shape in (tuple, frozenset) and isinstance(parts[0], type) and isinstance(value, parts[0]):
        yield f"{at} must be a tuple: {ADD_A_COMMA}"
    elif not _fits(value, hint):
        yield f"{at} must be {_shown(hint)}, not of type {type(value).__name__}"


def _fits(value: object, hint: Any) -> bool:
    shape, parts = get_origin(hint), get_args(hint)
    if shape in (Union, UnionType):
        return not all(any(_problems(value, part, "")) for part in parts)
    if shape is Literal:
        return value in parts
    if shape is Callable:
        return callable(value)
    if hint is Any or getattr(hint, "_is_protocol", False):  # left to whoever uses it
        return True
    return isinstance(value, shape or hint) and not (hint is int and isinstance(value, bool))


def _shown(hint: Any) -> str:
    """Return a type as its author would write it."""
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", str(hint))  # without the modules' names
