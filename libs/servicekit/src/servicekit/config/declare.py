"""Declaring settings: fields of frozen attrs classes that know their variable, parser, default and help."""

from typing import Any, Literal, TypeVar, overload

import attrs

from servicekit.config.parsers import Parser
from servicekit.config.secret import Secret

T = TypeVar("T")


@attrs.frozen
class SettingDoc:
    """One setting as the documentation shows it. `default` is the text a person would write, None when required."""

    name: str
    help: str
    allowed: str
    default: str | None
    required: bool
    secret: bool
    group: str


@overload
def setting(name: str, *, help: str, parse: Parser[T]) -> T: ...
@overload
def setting(name: str, *, help: str, parse: Parser[T], default: T) -> T: ...
@overload
def setting(name: str, *, help: str, parse: Parser[T], default: None) -> T | None: ...
@overload
def setting(name: str, *, help: str, secret: Literal[True]) -> Secret: ...
@overload
def setting(name: str, *, help: str, secret: Literal[True], default: None) -> Secret | None: ...
def setting(
    name: str, *, help: str, parse: Any = None, default: Any = attrs.NOTHING, secret: bool = False
) -> Any:
    """Declare one setting as a field of a `@attrs.frozen(kw_only=True)` class.

    Args:
        name: The variable's name. A secret may also come from the file named by `NAME_FILE`.
        help: One line for the documentation.
        parse: One of the ready parsers; a secret has none.
        default: The value when the variable is unset or empty; without one the setting is required.
        secret: The value becomes a `Secret` and is never shown.
    """
    raise NotImplementedError


@overload
def group(cls: type[T]) -> T: ...
@overload
def group(cls: type[T], *, when: str) -> T | None: ...
def group(cls: type[T], *, when: str | None = None) -> Any:
    """Declare a nested settings class; with `when`, None unless the setting of that name has a value."""
    raise NotImplementedError


def documentation(cls: type[Any]) -> list[SettingDoc]:
    """List every setting of the class in order of declaration."""
    raise NotImplementedError


def effective(settings: Any) -> list[tuple[str, str]]:
    """List every setting with its value as text: a secret as `***`, an unset one as an empty text."""
    raise NotImplementedError


def secrets_of(settings: Any) -> tuple[Secret, ...]:
    """Return every secret that has a value, for `configure_logging`, which scrubs them from every line."""
    raise NotImplementedError
