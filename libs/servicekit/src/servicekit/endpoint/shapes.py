"""JSON values to attrs classes and back: strict types, camelCase on the wire, problems with their path.

`web_user` in code is `webUser` in JSON. Types understood: attrs classes, `str`, `int`, `float`, `bool`,
`Decimal`, `date`, `datetime`, enums, `Literal`, `X | None`, `list[X]`, `tuple[X, ...]`, `dict[str, X]` and
`Any`.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

import attrs
from cattrs import (
    AttributeValidationNote,
    BaseConverter,
    BaseValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)
from cattrs.cols import (
    homogenous_tuple_structure_factory,
    is_mapping,
    is_sequence,
    list_structure_factory,
    mapping_structure_factory,
)
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from servicekit.errors import FieldProblem, InvalidBody

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]
HookFactory = Callable[[Any, BaseConverter], Hook]

_MAX_PROBLEMS: Final = 50
_MAX_EXPONENT: Final = 30
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class InvalidValue(ValueError):  # noqa: N818 - what a validator says of a value
    """Raised by an attrs validator of a body class: its text (Spanish) is shown beside the field.

    Args:
        message: A sentence for people.
        path: The field, as in `attribute.name` or `paths[0]`, in code's spelling or the wire's.
    """

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class _WrongTypeError(ValueError):
    """What a value should have been, as the end of a Spanish sentence."""


def wire_name(name: str) -> str:
    """Return how an attribute is called in JSON: `web_user` is `webUser`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def structure(value: Any, cls: type[T]) -> T:
    """Turn a JSON value into an instance.

    Raises:
        InvalidBody: With one entry for each problem (the first 50).
    """
    try:
        return _converter().structure(value, cls)
    except (BaseValidationError, ValueError) as exc:
        raise InvalidBody(errors=list(_problems(exc, ""))[:_MAX_PROBLEMS]) from exc


def unstructure(value: Any) -> Any:
    """Turn attrs classes (nested in lists and mappings, too) into JSON-ready values; times in UTC."""
    return _converter().unstructure(value)


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for hook in (_text, _integer, _number, _boolean, _decimal, _date, _datetime):
        converter.register_structure_hook_func(_is(hook.__annotations__["return"]), hook)
    converter.register_structure_hook_factory(_has_origin(Literal), _one_of_factory)
    converter.register_structure_hook_factory(
        lambda cls: isinstance(cls, type) and issubclass(cls, Enum), _enum_factory
    )
    converter.register_structure_hook_factory(
        is_sequence, _expecting(list, "una lista", list_structure_factory)
    )
    converter.register_structure_hook_factory(
        _has_origin(tuple),
        _expecting(list, "una lista", homogenous_tuple_structure_factory),
    )
    converter.register_structure_hook_factory(
        is_mapping, _expecting(dict, "un objeto", mapping_structure_factory)
    )
    converter.register_structure_hook_factory(
        attrs.has, _expecting(dict, "un objeto", _class_structure_factory)
    )
    converter.register_unstructure_hook_factory(attrs.has, _class_unstructure_factory)
    converter.register_unstructure_hook(date, date.isoformat)
    converter.register_unstructure_hook(datetime, _show_datetime)
    return converter


def _is(cls: Any) -> Callable[[Any], bool]:
    return lambda candidate: candidate is cls


def _has_origin(origin: Any) -> Callable[[Any], bool]:
    return lambda candidate: get_origin(candidate) is origin


def _renamed(cls: type[Any]) -> dict[str, Any]:
    return {field.name: override(rename=wire_name(field.name)) for field in attrs.fields(cls)}


def _class_structure_factory(cls: Any, converter: BaseConverter) -> Hook:
    return make_dict_structure_fn(cls, converter, **_renamed(cls))


def _class_unstructure_factory(cls: Any, converter: Converter) -> Callable[[Any], Any]:
    return make_dict_unstructure_fn(cls, converter, **_renamed(cls))


def _expecting(kind: type, noun: str, factory: HookFactory) -> HookFactory:
    """Guard a factory's hooks: cattrs alone would take a text for a list of characters."""

    def guarded_factory(cls: Any, converter: BaseConverter) -> Hook:
        inner = factory(cls, converter)

        def hook(value: Any, cls: Any) -> Any:
            if not isinstance(value, kind):
                raise _WrongTypeError(noun)
            return inner(value, cls)

        return hook

    return guarded_factory


def _one_of_factory(cls: Any, _converter: BaseConverter) -> Hook:
    return _one_of({word: word for word in get_args(cls)})


def _enum_factory(cls: Any, _converter: BaseConverter) -> Hook:
    return _one_of({member.value: member for member in cls})


def _one_of(members: dict[Any, Any]) -> Hook:
    def hook(value: Any, _cls: Any) -> Any:
        for word, member in members.items():
            if type(value) is type(word) and value == word:
                return member
        raise _WrongTypeError("uno de: " + ", ".join(map(str, members)))

    return hook


def _text(value: Any, _cls: Any) -> str:
    if not isinstance(value, str):
        raise _WrongTypeError("un texto")
    return value


def _integer(value: Any, _cls: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _WrongTypeError("un número entero")
    return value


def _number(value: Any, _cls: Any) -> float:
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        raise _WrongTypeError("un número")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise _WrongTypeError("un número de menor tamaño")
    return number


def _boolean(value: Any, _cls: Any) -> bool:
    if not isinstance(value, bool):
        raise _WrongTypeError("verdadero o falso (true o false)")
    return value


def _decimal(value: Any, _cls: Any) -> Decimal:
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        raise _WrongTypeError("un número")
    number = Decimal(value)
    if abs(number.adjusted()) > _MAX_EXPONENT:
        raise _WrongTypeError("un número de menor tamaño")
    return number


def _date(value: Any, _cls: Any) -> date:
    try:
        return date.fromisoformat(value if _DATE.fullmatch(value) else "")
    except (TypeError, ValueError) as exc:
        raise _WrongTypeError("una fecha como 2026-01-31") from exc


def _datetime(value: Any, _cls: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as exc:
        raise _WrongTypeError("una fecha y hora como 2026-01-31T15:00:00Z") from exc
    if moment.tzinfo is None:
        raise _WrongTypeError("una fecha y hora con zona, como 2026-01-31T15:00:00Z")
    return moment.astimezone(UTC)


def _show_datetime(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ValueError("a time without zone can't be shown as UTC")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _problems(exc: BaseException, path: str) -> Iterator[FieldProblem]:
    if isinstance(exc, BaseValidationError):
        for child in exc.exceptions:
            yield from _problems(child, path + _step(child, first=not path))
    elif isinstance(exc, ForbiddenExtraKeysError):
        for name in sorted(exc.extra_fields):
            yield FieldProblem(f"{path}.{name}" if path else name, "Este campo no existe.")
    elif isinstance(exc, KeyError):
        yield FieldProblem(path, "Falta este campo.")
    elif isinstance(exc, _WrongTypeError):
        yield FieldProblem(path, f"Debe ser {exc}.")
    elif isinstance(exc, InvalidValue):
        inner = ".".join(wire_name(part) for part in exc.path.split("."))
        yield FieldProblem(".".join(filter(None, (path, inner))), str(exc))
    else:
        yield FieldProblem(path, "El valor no es válido.")


def _step(exc: BaseException, *, first: bool) -> str:
    """Return what the notes of cattrs say about where below the parent this exception arose."""
    for note in getattr(exc, "__notes__", ()):
        if isinstance(note, IterableValidationNote) and isinstance(note.index, int):
            return f"[{note.index}]"
        if isinstance(note, AttributeValidationNote | IterableValidationNote):
            name = wire_name(note.name) if isinstance(note, AttributeValidationNote) else str(note.index)
            return name if first else f".{name}"
    return ""
