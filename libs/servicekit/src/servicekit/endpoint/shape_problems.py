"""What is wrong with a JSON value: where, and in a sentence for people."""

from collections.abc import Iterator
from typing import Final

from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)

from servicekit.errors import FieldProblem

_MAX_NAME: Final = 100


class InvalidValue(ValueError):  # noqa: N818 - what a validator says of a value
    """Raised by an attrs validator of a body class: its text (Spanish) is shown beside the field.

    Args:
        message: A sentence for people.
        path: Where inside the field's value, as in `[0]`; nothing when the whole value is meant.
    """

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class WrongTypeError(ValueError):
    """What a value should have been, as the end of a Spanish sentence."""


def wire_name(name: str) -> str:
    """Return how an attribute is called in JSON: `web_user` is `webUser`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def problems_of(exc: BaseException, path: str) -> Iterator[FieldProblem]:
    """Yield what an exception of cattrs says about the value at a path."""
    if isinstance(exc, BaseValidationError):
        for child in exc.exceptions:
            yield from problems_of(child, f"{path}{step_of(child)}".removeprefix("."))
    elif isinstance(exc, ForbiddenExtraKeysError):
        for name in (field[:_MAX_NAME] for field in sorted(exc.extra_fields)):
            yield FieldProblem(f"{path}.{name}" if path else name, "Este campo no existe.")
    elif isinstance(exc, KeyError):
        yield FieldProblem(path, "Falta este campo.")
    elif isinstance(exc, WrongTypeError):
        yield FieldProblem(path, f"Debe ser {exc}.")
    elif isinstance(exc, InvalidValue):
        yield FieldProblem(path + exc.path, str(exc))
    else:
        yield FieldProblem(path, "El valor no es válido.")


def step_of(exc: BaseException) -> str:
    """Return what the notes of cattrs say about where below the parent this exception arose."""
    for note in getattr(exc, "__notes__", ()):
        if isinstance(note, IterableValidationNote) and isinstance(note.index, int):
            return f"[{note.index}]"
        if isinstance(note, IterableValidationNote):
            return f".{str(note.index)[:_MAX_NAME]}"
        if isinstance(note, AttributeValidationNote):
            return f".{wire_name(note.name)}"
    return ""
