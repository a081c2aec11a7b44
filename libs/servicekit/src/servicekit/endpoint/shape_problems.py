"""Problems of a JSON value: path and a sentence for people."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    IterableValidationNote,
)

from servicekit.errors import MAX_REPORTED, FieldProblem, ReportedProblems

_MAX_NAME: Final = 100


class InvalidValue(ValueError):  # noqa: N818 - named after the problem, as validators are
    """Raised by an attrs validator of a body class; its text (Spanish) is shown with the field.

    Args:
        message: a sentence for people.
        path: location inside the field's value, as in `[0]`; empty for the whole value.
    """

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class WrongTypeError(ValueError):
    """Expected type of a value, as the end of a Spanish sentence."""


class UnknownNamesError(ValueError):
    """An object has members that its class lacks.

    Attributes:
        names: the first ones.
        more: number of the others.
    """

    def __init__(self, value: Mapping[str, Any], member_names: Collection[str]) -> None:
        """Find unknown members. The object must have at least one; only as many are examined as are
        reported.
        """
        super().__init__("unknown names")
        self.names = tuple(islice((name for name in value if name not in member_names), MAX_REPORTED))
        self.more = len(value) - sum(name in value for name in member_names) - len(self.names)


class UnreadItemsError(ValueError):
    """Enough items of a list were rejected; the `count` following ones were not checked."""

    def __init__(self, count: int) -> None:
        super().__init__("items not read")
        self.count = count


def wire_name(name: str) -> str:
    """Return an attribute's JSON name: `web_user` becomes `webUser`."""
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words)


def reported_problems(exc: BaseException) -> ReportedProblems:
    """Return the first problems of a body from an exception of cattrs, and count the others."""
    leaves = list(_leaves(exc))
    return ReportedProblems.of(
        _problems_of(exc, ""),
        more=sum(leaf.more for leaf in leaves if isinstance(leaf, UnknownNamesError)),
        unread=sum(leaf.count for leaf in leaves if isinstance(leaf, UnreadItemsError)),
    )


def _leaves(exc: BaseException) -> Iterator[BaseException]:
    if isinstance(exc, BaseValidationError):
        for child in exc.exceptions:
            yield from _leaves(child)
    else:
        yield exc


def _problems_of(exc: BaseException, path: str) -> Iterator[FieldProblem]:
    if isinstance(exc, BaseValidationError):
        for child in exc.exceptions:
            yield from _problems_of(child, f"{path}{step_of(child)}".removeprefix("."))
    elif isinstance(exc, UnknownNamesError):
        for name in (field[:_MAX_NAME] for field in exc.names):
            yield FieldProblem(f"{path}.{name}" if path else name, "Este campo no existe.")
    elif isinstance(exc, KeyError):
        yield FieldProblem(path, "Falta este campo.")
    elif isinstance(exc, WrongTypeError):
        yield FieldProblem(path, f"Debe ser {exc}.")
    elif isinstance(exc, InvalidValue):
        yield FieldProblem(path + exc.path, str(exc))
    elif not isinstance(exc, UnreadItemsError):
        yield FieldProblem(path, "El valor no es válido.")


def step_of(exc: BaseException) -> str:
    """Return the step from the parent to this exception, from the notes of cattrs."""
    for note in getattr(exc, "__notes__", ()):
        if isinstance(note, IterableValidationNote) and isinstance(note.index, int):
            return f"[{note.index}]"
        if isinstance(note, IterableValidationNote):
            return f".{str(note.index)[:_MAX_NAME]}"
        if isinstance(note, AttributeValidationNote):
            return f".{wire_name(note.name)}"
    return ""
