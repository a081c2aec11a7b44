"""Printing of faults and warnings of settings, in the terminal's language."""

from collections.abc import Iterable, Mapping
from typing import TextIO

from servicekit.config.problems import Problem
from servicekit.terminal_language import is_english


class SettingsTerminal:
    """Prints one line for each problem: in English if `LANG` names it, else in Spanish.

    Other objects, such as errors of an extension's code, are printed as they are.

    Args:
        environ: the process environment.
        err: receives the lines.
    """

    def __init__(self, environ: Mapping[str, str], err: TextIO) -> None:
        self._english = is_english(environ)
        self._err = err

    def warn(self, doubts: Iterable[object]) -> None:
        """Print what is allowed and probably wrong."""
        word = "warning" if self._english else "advertencia"
        self._err.writelines(f"{word}: {self._line(each)}\n" for each in doubts)

    def show(self, faults: Iterable[object]) -> None:
        """Print what keeps the service from starting."""
        self._err.writelines(f"{self._line(each)}\n" for each in faults)

    def _line(self, each: object) -> str:
        return each.line(english=self._english) if isinstance(each, Problem) else str(each)
