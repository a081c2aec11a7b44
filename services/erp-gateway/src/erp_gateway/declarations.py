"""Declarations written by hand: whether they hold what their classes say, and where in the code they are."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from traceback import walk_tb
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import attrs

_COLUMN: Final = re.compile(r"\bcolumn '([^']*)'")
_PARAMETER: Final = re.compile(r"\bparameters\[(\d+)\]")


class RegistryError(Exception):
    """Declarations that can't be served.

    Attributes:
        problems: one sentence for each fault, beginning with the name at fault and, where that is a query's
            text, the engine.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def line_of_declaration() -> str:
    """Return where the declaration that is being made stands, as `queries.py, line 12`.

    A factory for attributes of attrs classes: the frames of attrs itself (a made `__init__`, `evolve`) are
    passed over.
    """
    frame = inspect.currentframe()
    caller = frame.f_back if frame is not None else None
    while caller is not None and _belongs_to_attrs(caller.f_code.co_filename, caller.f_globals):
        caller = caller.f_back
    return "unknown" if caller is None else f"{Path(caller.f_code.co_filename).name}, line {caller.f_lineno}"


def line_within(entry: object, problem: str) -> str:
    """Return where the column or parameter stands that a problem is about, else where its declaration does.

    Args:
        entry: a declaration, with `declared_at`, and perhaps `columns` or `parameters`.
        problem: what is wrong with it, such as `column 'Name' is declared twice` or `parameters[0].input: …`.
    """
    items = [entry]
    if column := _COLUMN.search(problem):
        items += [each for each in getattr(entry, "columns", ()) if each.name == column[1]]
    if parameter := _PARAMETER.search(problem):
        items += list(getattr(entry, "parameters", ()))[int(parameter[1]) :][:1]
    return str(items[-1].declared_at)  # type: ignore[attr-defined]  # each declaration has it


def line_of_error(error: BaseException, package: str) -> str | None:
    """Return the innermost line of a package where an error arose, as `queries.py, line 12`; None for none.

    Args:
        error: what was raised.
        package: the first part of the names of the modules that count.
    """
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{Path(error.filename).name}, line {error.lineno}"
    lines = [
        f"{Path(frame.f_code.co_filename).name}, line {line}"
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).partition(".")[0] == package
    ]
    return lines[-1] if lines else None


def _belongs_to_attrs(file: str, names: dict[str, object]) -> bool:
    return file.startswith("<attrs ") or str(names.get("__name__")).partition(".")[0] in ("attr", "attrs")


_ROUTE: Final = re.compile(r"(/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)+")
_MAX_LENGTH: Final = 500


def is_menu_route(text: str) -> bool:
    """Tell whether the text is one exact route such as `/ventas/pedidos`: no `*`, `//` or dot segments."""
    return len(text) <= _MAX_LENGTH and _ROUTE.fullmatch(text) is not None


ADD_A_COMMA: Final = "add a comma behind its only entry, (ENTRY,)"
"""What is missing where `(ENTRY)` was written for a tuple of one."""

TAKES: Final = "takes"
"""In the metadata of an attribute: what it takes, in words, where naming its type would not help."""

INTERNAL: Final[Mapping[str, bool]] = {"internal": True}
"""Metadata of an attribute that authors of extensions leave out."""

_UNEXPECTED: Final = re.compile(r"\b(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")
_MOST_SHOWN: Final = 60


def type_problems(value: attrs.AttrsInstance, at: str, place: str | None = None) -> Iterator[str]:
    """Yield what is of another type than the value's class declares, one sentence for each place.

    Args:
        value: a declaration; whatever of its kind it holds is looked at, too.
        at: what to call it, such as `EXTENSION`.
        place: where what holds it stands in its author's code; None where nobody knows.
    """
    hints = get_type_hints(type(value))
    place = getattr(value, "declared_at", place)
    for field in attrs.fields(type(value)):
        here, found = f"{at}.{field.name}", getattr(value, field.name)
        problems = list(_problems(found, hints[field.name], here, place))
        if problems and TAKES in field.metadata:
            problems = [_located(f"{here} must be {field.metadata[TAKES]}, not {_brief(found)}", place)]
        yield from problems


def arguments_of(said: str, classes: Iterable[type]) -> str:
    """Name the arguments that a declaration takes, where Python says that it got another one.

    Args:
        said: an error's text.
        classes: the declarations' classes.

    Returns:
        what to say behind it; nothing where the text says something else.
    """
    found = _UNEXPECTED.search(said)
    if found is None:
        return ""
    for each in classes:
        if each.__name__ == found[1] and attrs.has(each):
            fields = [field for field in attrs.fields(each) if field.init and field.metadata != INTERNAL]
            names = [field.name for field in fields]
            like = get_close_matches(found[2], names, 1)
            meant = f"; did you mean {like[0]!r}?" if like else ""
            return f"{meant} ({each.__name__} takes {', '.join(names)})"
    return ""


def _problems(value: object, hint: Any, at: str, place: str | None) -> Iterator[str]:
    shape, parts = get_origin(hint), get_args(hint)
    if shape in (tuple, frozenset) and isinstance(value, shape):
        for index, each in enumerate(value):
            yield from _problems(each, parts[0], f"{at}[{index}]", place)
    elif shape is Mapping and isinstance(value, Mapping):
        for name, each in value.items():
            yield from _problems(name, parts[0], f"{at}: the name {name!r}", place)
            yield from _problems(each, parts[1], f"{at}[{name!r}]", place)
    elif isinstance(hint, type) and attrs.has(hint) and isinstance(value, hint):
        yield from type_problems(value, at, place)
    elif shape in (tuple, frozenset) and isinstance(parts[0], type) and isinstance(value, parts[0]):
        yield _located(f"{at} must be a tuple: {ADD_A_COMMA}", place)
    elif shape is Literal and not _fits(value, hint):
        yield _located(f"{at} must be {_choice(parts)}, not {_brief(value)}", place)
    elif not _fits(value, hint):
        yield _located(f"{at} must be {_shown(hint)}, not of type {type(value).__name__}", place)


def _fits(value: object, hint: Any) -> bool:
    shape, parts = get_origin(hint), get_args(hint)
    if shape in (Union, UnionType):
        return not all(any(_problems(value, part, "", None)) for part in parts)
    if shape is Literal:
        return value in parts
    if shape is Callable:
        return callable(value)
    if hint is Any or getattr(hint, "_is_protocol", False):  # left to whoever uses it
        return True
    return isinstance(value, shape or hint) and not (hint is int and isinstance(value, bool))


def _located(problem: str, place: str | None) -> str:
    return problem if place is None else f"{problem} ({place})"


def _choice(words: tuple[object, ...]) -> str:
    *first, last = map(repr, words)
    return f"{', '.join(first)} or {last}" if first else last


def _brief(value: object) -> str:
    """Return a text or a number as it was written, of anything else its type."""
    written = repr(value)
    shown = isinstance(value, str | int) and len(written) <= _MOST_SHOWN
    return written if shown else f"of type {type(value).__name__}"


def _shown(hint: Any) -> str:
    """Return a type as its author would write it."""
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", str(hint))  # without the modules' names
