"""Store that starts each test with the prepared company of the first one."""

import copy
from collections.abc import Iterable

from erpsim.company.store import Change


class PreparedStore:
    """A store that starts with the changes of another one, and keeps its own.

    Args:
        changes: earlier changes, in order.
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
        """Do nothing, since nothing is open."""

    def snapshot(self) -> list[Change]:
        """Return the changes so far, for another store."""
        return copy.deepcopy(self._changes)
