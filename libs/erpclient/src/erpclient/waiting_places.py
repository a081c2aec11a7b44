"""Places to wait in, some of them reserved."""

from collections import Counter
from collections.abc import Mapping


class WaitingPlaces:
    """Counts taken places. A reserve keeps some for one class of requests, which may use the others too.

    Args:
        limit: places in all.
        reserved: number of reserved places by class.
    """

    def __init__(self, limit: int, reserved: Mapping[str, int]) -> None:
        self._limit = limit
        self._reserved = reserved
        self._occupied: Counter[str] = Counter()

    def admits(self, name: str) -> bool:
        """Return whether a request of this class finds a free place that no other class has reserved."""
        reserved_places = sum(
            max(0, number - self._occupied[other])
            for other, number in self._reserved.items()
            if other != name
        )
        return self._occupied.total() + reserved_places < self._limit

    def gives_way(self, name: str, newcomer: str) -> bool:
        """Return whether the end of a wait of class `name` frees a place that `newcomer` may take."""
        return name == newcomer or self._occupied[name] > self._reserved.get(name, 0)

    def take(self, name: str) -> None:
        """Count a place as taken."""
        self._occupied[name] += 1

    def give_back(self, name: str) -> None:
        """Count a place as free again."""
        self._occupied[name] -= 1
