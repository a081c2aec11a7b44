"""Declarations of settings: fields of frozen attrs classes with variable, parser, default and help."""

import inspect
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeVar, overload

import attrs

from servicekit.config.parsers import Parser
from servicekit.config.secret import MASK, Secret

T = TypeVar("T")

_KEY: Final = "servicekit.config"
_SECRET_PARSER: Final = Parser(Secret, "a secret", "un secreto", repr)


@attrs.frozen
class SettingDoc:
    """One setting as the documentation shows it.

    Attributes:
        default: text to write for the default: "" if the setting may stay unset, None if it is required.
        example: value for an example file; "" if there is none.
        group: the declaring class.
        switch: name of the setting that turns the group on; None if the group is always on.
    """

    name: str
    help: str
    allowed: str
    default: str | None
    required: bool
    secret: bool
    example: str
    group: type[Any]
    switch: str | None

    @property
    def group_text(self) -> str:
        """Docstring of the group: its first line is a heading, the rest describes it."""
        return inspect.cleandoc(self.group.__doc__ or self.group.__name__)


@attrs.frozen
class Declared:
    """Declaration of a field, made by `setting`."""

    name: str
    help: str
    parser: Parser[Any]
    default: Any
    secret: bool
    example: str

    @property
    def required(self) -> bool:
        """True if the setting must have a value."""
        return self.default is attrs.NOTHING

    def show(self, value: Any) -> str:
        """Write a value as text: a secret masked, an unset one as an empty text."""
        return "" if value is None else self.parser.show(value)


@attrs.frozen
class Group:
    """Declaration of a nested class, made by `group`."""

    cls: type[Any]
    when: str | None


@overload
def setting(name: str, *, help: str, parse: Parser[T], example: str = "") -> T: ...
@overload
def setting(name: str, *, help: str, parse: Parser[T], default: T, example: str = "") -> T: ...
@overload
def setting(name: str, *, help: str, parse: Parser[T], default: None, example: str = "") -> T | None: ...
@overload
def setting(name: str, *, help: str, secret: Literal[True], example: str = "") -> Secret: ...
@overload
def setting(
    name: str, *, help: str, secret: Literal[True], default: None, example: str = ""
) -> Secret | None: ...
def setting(
    name: str,
    *,
    help: str,  # noqa: A002 - the word of every settings library
    parse: Parser[Any] = _SECRET_PARSER,
    default: Any = attrs.NOTHING,
    secret: bool = False,
    example: str = "",
) -> Any:
    """Declare one setting as a field of a `@attrs.frozen(kw_only=True)` class.

    Args:
        name: the variable's name. A secret may also come from the file named by `NAME_FILE`.
        help: one line for the documentation.
        parse: one of the ready parsers; a secret has none.
        default: the value when the variable is unset or empty; without one the setting is required.
        secret: the value becomes a `Secret` and is never shown.
        example: a value for the example file if the default is not instructive.
    """
    declared = Declared(name, help, parse, default, secret, example)
    return attrs.field(default=default, metadata={_KEY: declared})


@overload
def group(cls: type[T]) -> T: ...
@overload
def group(cls: type[T], *, when: str) -> T | None: ...
def group(cls: type[T], *, when: str | None = None) -> Any:
    """Declare a nested settings class; with `when`, None unless the setting of that name has a value."""
    default: Any = attrs.Factory(cls) if when is None else None
    return attrs.field(default=default, metadata={_KEY: Group(cls, when)})


def declarations(cls: type[Any]) -> Iterator[tuple[str, Declared | Group]]:
    """Yield the attribute name and declaration of each field of one class.

    Raises:
        TypeError: a field was declared with neither `setting` nor `group`.
    """
    for field in attrs.fields(cls):
        if _KEY not in field.metadata:
            raise TypeError(f"{cls.__name__}.{field.name} is declared with neither setting() nor group()")
        yield field.name, field.metadata[_KEY]


def all_settings(cls: type[Any]) -> Iterator[tuple[type[Any], Declared]]:
    """Yield every setting of a class and its groups, with the class that declares it, in order."""
    for _, declared in declarations(cls):
        if isinstance(declared, Group):
            yield from all_settings(declared.cls)
        else:
            yield cls, declared


def documentation(cls: type[Any], *, switch: str | None = None) -> list[SettingDoc]:
    """List every setting of the class in order of declaration; `switch` is the setting that enables the
    class.
    """
    entries: list[SettingDoc] = []
    for _, declared in declarations(cls):
        if isinstance(declared, Group):
            entries += documentation(declared.cls, switch=declared.when or switch)
        else:
            entries.append(_documented(cls, declared, switch))
    return entries


def _documented(cls: type[Any], declared: Declared, switch: str | None) -> SettingDoc:
    return SettingDoc(
        name=declared.name,
        help=declared.help,
        allowed=declared.parser.allowed,
        default=None if declared.required else declared.show(declared.default),
        required=declared.required,
        secret=declared.secret,
        example=declared.example,
        group=cls,
        switch=switch,
    )


def _values(cls: type[Any], settings: Any) -> Iterator[tuple[Declared, Any]]:
    for name, declared in declarations(cls):
        value = None if settings is None else getattr(settings, name)
        if isinstance(declared, Group):
            yield from _values(declared.cls, value)
        else:
            yield declared, value


def effective(settings: Any) -> list[tuple[str, str]]:
    """List every setting with its value as text: a secret as `***`, an unset one as an empty text."""
    return [
        (declared.name, MASK if declared.secret and value is not None else declared.show(value))
        for declared, value in _values(type(settings), settings)
    ]


def secrets_of(settings: Any) -> tuple[Secret, ...]:
    """Return every secret that has a value; `configure_logging` masks them in every line."""
    return tuple(value for _, value in _values(type(settings), settings) if isinstance(value, Secret))
