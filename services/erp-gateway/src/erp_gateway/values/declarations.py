"""Checks that all declarations share: attribute types and menu routes."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import attrs


class RegistryError(Exception):
    """Declarations have problems.

    Attributes:
        problems: one sentence each; it starts with the declaration's name and, for a query's text, the
            engine.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


_ROUTE: Final = re.compile(r"(/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)+")
_MAX_LENGTH: Final = 500


def is_menu_route(text: str) -> bool:
    """Return True if the text is one exact route such as `/ventas/pedidos`: no `*`, `//` or dot segments."""
    return len(text) <= _MAX_LENGTH and _ROUTE.fullmatch(text) is not None


ADD_A_COMMA: Final = "add a comma behind its only entry, (ENTRY,)"
"""Hint for `(ENTRY)`, which is not a tuple."""

TAKES: Final = "takes"
"""Metadata key of an attribute: description of its values, if the name of the type would not help."""

_MOST_SHOWN: Final = 60


def type_problems(value: attrs.AttrsInstance, at: str) -> Iterator[str]:
    """Yield a sentence for each attribute whose value does not have the declared type.

    Args:
        value: a declaration; the declarations in it are checked too.
        at: its name in messages, such as `EXTENSION`.
    """
    hints = get_type_hints(type(value))
    for field in attrs.fields(type(value)):
        here, actual = f"{at}.{field.name}", getattr(value, field.name)
        problems = list(_problems(actual, hints[field.name], here))
        if problems and TAKES in field.metadata:
            problems = [f"{here} must be {field.metadata[TAKES]}, not {_brief(actual)}"]
        yield from problems


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
    elif shape in (Union, UnionType) and attrs.has(type(value)) and type(value) in parts:
        yield from _problems(value, type(value), at)  # an optional declaration
    elif shape in (tuple, frozenset) and isinstance(parts[0], type) and isinstance(value, parts[0]):
        yield f"{at} must be a tuple: {ADD_A_COMMA}"
    elif shape is Literal and not _fits(value, hint):
        yield f"{at} must be {_choice(parts)}, not {_brief(value)}"
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
    if hint is Any or getattr(hint, "_is_protocol", False):  # protocols are not checked here
        return True
    return isinstance(value, shape or hint) and not (hint is int and isinstance(value, bool))


def _choice(words: tuple[object, ...]) -> str:
    *first, last = map(repr, words)
    return f"{', '.join(first)} or {last}" if first else last


def _brief(value: object) -> str:
    """Return a short text or number as written, and only the type of any other value."""
    written = repr(value)
    shown = isinstance(value, str | int) and len(written) <= _MOST_SHOWN
    return written if shown else f"of type {type(value).__name__}"


def _shown(hint: Any) -> str:
    """Return a type as its author would write it."""
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", str(hint))  # without the modules' names
