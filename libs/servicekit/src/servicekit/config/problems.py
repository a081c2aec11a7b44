"""Faults of a configuration."""

from collections.abc import Sequence

import attrs
from typing_extensions import override


@attrs.frozen
class Problem:
    """One fault: the name of the variable (or of the file) and a sentence that describes it.

    Attributes:
        name: the variable or file.
        text: the sentence in English, for logs and for terminals in English.
        spanish: the same in Spanish, for all other terminals.
    """

    name: str
    text: str
    spanish: str

    def line(self, *, english: bool) -> str:
        """Return name and sentence, for a terminal."""
        return f"{self.name}: {self.text if english else self.spanish}"

    @override
    def __str__(self) -> str:
        return self.line(english=True)


class ConfigError(Exception):
    """The configuration has faults; `str()` gives one line each, in English."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
