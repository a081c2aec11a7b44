"""In which line of somebody's own code a declaration stands, or an error arose."""

import inspect
import re
from pathlib import Path
from traceback import walk_tb
from typing import Final

_COLUMN: Final = re.compile(r"\bcolumn '([^']*)'")
_PARAMETER: Final = re.compile(r"\bparameters\[(\d+)\]")


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
