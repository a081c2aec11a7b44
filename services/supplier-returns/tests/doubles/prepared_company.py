"""A company whose metadata is in order already: what the first test does, the others begin with."""

import copy
from collections.abc import Iterable

from erpsim.company.store import Change


class PreparedStore:
    """A store that begins with the changes of another one, and keeps its own.

    Args:
        changes: What was changed before, in order.
    """

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self._changes = list(changes)

    def load(self, seed: str) -> Iterable[Change]:
        return self.snapshot()

    def save(self, changes: Iterable[Change]) -> None:
        self._changes += copy.deepcopy(list(changes))

    def clear(self) -> None:
        self._changes.clear()

    def close(self) -> None:
        """Nothing is open."""

    def snapshot(self) -> list[Change]:
        """Return the changes so far, for another store."""
        return copy.deepcopy(self._changes)
