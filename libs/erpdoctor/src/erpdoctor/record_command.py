"""`doctor --record FILE`: what is told of a record that is made."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TextIO

_NOT_RECORDED: Final = 2


def record_into(
    file: Path,
    make: Callable[[], None],
    *,
    why_not: Callable[[Exception], str | None],
    err: TextIO,
) -> int:
    """Have a new file made, and tell in Spanish what came of it; return the exit code, 0 or 2.

    Args:
        file: the new one; where it is there already, nothing is asked of anybody.
        make: makes it.
        why_not: returns why it could not be made, in Spanish; None for what is no fault of the installation.
        err: where it is told.
    """
    if file.exists():
        err.write(f"{file} ya existe y no se sobrescribe.\n")
        return _NOT_RECORDED
    try:
        make()
    except Exception as error:
        reason = why_not(error)
        if reason is None:
            raise
        err.write(f"{reason}\n")
        return _NOT_RECORDED
    err.write(f"{file}: escrito; no contiene datos de la empresa. Úselo con `erpsim serve --like`.\n")
    return 0
