"""Disk budget of the temporary files of all exports."""

from threading import Lock
from typing import Final
from weakref import WeakValueDictionary

from erp_gateway.files.exports.errors import ExportNoRoom
from erpclient import Lane

PART_FULL: Final = (
    "El archivo no cabe en su parte del espacio de exportación, junto con los que está descargando o guarda "
    "el servicio para usted. Termine o elimine alguno, o acote lo que pide."
)


class SpoolBudget:
    """Limit of bytes in temporary files, with a part for each user. Thread-safe.

    Args:
        max_bytes: the limit.
        within: the total budget, if this one is a user's part.
    """

    def __init__(self, max_bytes: int, *, within: "SpoolBudget | None" = None) -> None:
        self.max_bytes = max_bytes
        self._within = within
        self._parts: WeakValueDictionary[Lane, SpoolBudget] = WeakValueDictionary()
        self._lock = Lock()
        self._held = 0

    @property
    def held(self) -> int:
        """Bytes in use."""
        return self._held

    def of(self, user: Lane) -> "SpoolBudget":
        """Return the budget of one user: half of the total, so that one user can't use all of it."""
        part = self._parts.get(user)
        if part is None:
            part = self._parts[user] = SpoolBudget(self.max_bytes // 2, within=self)
        return part

    def share(self) -> "Share":
        """Return a new share without bytes; release it after use."""
        return Share(self)

    def _move(self, change: int) -> None:
        with self._lock:
            if change > 0 and self._held + change > self.max_bytes:
                raise ExportNoRoom(None if self._within is None else PART_FULL)
            if self._within is not None:
                self._within._move(change)  # noqa: SLF001 - the whole that this is a part of
            self._held += change


class Share:
    """Bytes of one file, or of some files of one export. Not thread-safe.

    Args:
        budget: the budget.
    """

    def __init__(self, budget: SpoolBudget) -> None:
        self._budget = budget
        self._held = 0

    def resize(self, size: int) -> None:
        """Change the number of bytes.

        Raises:
            ExportNoRoom: the budget is exceeded; the share keeps its size.
        """
        self._budget._move(size - self._held)  # noqa: SLF001 - both classes form one unit
        self._held = size

    def release(self) -> None:
        """Give back all bytes."""
        self.resize(0)
