"""Loading settings: environment over file, everything checked, all faults told at once."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import attrs
from typing_extensions import override

T = TypeVar("T")


@attrs.frozen
class Problem:
    """One fault: the variable's name (or the file's) and a sentence that says what is wrong and what is allowed."""

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


def load(cls: type[T], environ: Mapping[str, str], *, own_prefixes: Sequence[str] = ()) -> T:
    """Read the settings from the environment and from the file that `CONFIG_FILE` names (default `./.env`).

    Args:
        cls: The outermost settings class.
        environ: The process environment; it wins over the file. An empty value counts as unset.
        own_prefixes: Unknown names that begin with one of these are faults in the environment too.

    Raises:
        ConfigError: With every fault found.
    """
    raise NotImplementedError
