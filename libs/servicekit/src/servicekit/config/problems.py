"""Faults of a configuration."""

from collections.abc import Sequence

import attrs
from typing_extensions import override


@attrs.frozen
class Problem:
    """One fault: the name of the variable (or of the file) and a sentence that describes it."""

    name: str
    text: str

    @override
    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


class ConfigError(Exception):
    """The configuration has faults; `str()` gives one line each."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
