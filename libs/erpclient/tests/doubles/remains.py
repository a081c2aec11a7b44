"""What is still alive of what was answered, while nobody collects garbage.

A process that serves seldom looks for garbage. An error that holds its own frames, and the answer in them,
would stay with all of that until then.
"""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LOOKS: Final = 60
_BETWEEN_S: Final = 0.05


@contextmanager
def uncollected(*kinds: type) -> Iterator["Remains"]:
    """Collect garbage once, and none while the block runs.

    Args:
        kinds: of what is counted.
    """
    gc.collect()
    gc.disable()
    try:
        yield Remains(kinds)
    finally:
        gc.enable()


class Remains:
    """Counts the objects of some kinds that were not there when it was made.

    Args:
        kinds: the classes, with those below them.
    """

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self._kinds = kinds
        self._before = self._all()

    async def names(self) -> list[str]:
        """Name those that are alive; of errors only those that hold what they came from.

        What the event loop and its threads have in their hands is given a moment to go.
        """
        for _ in range(_LOOKS):
            if not self._new():
                break
            await asyncio.sleep(_BETWEEN_S)
        return self._new()

    def _new(self) -> list[str]:
        before = set(map(id, self._before))
        return [type(one).__name__ for one in self._all() if id(one) not in before and not _is_bare(one)]

    def _all(self) -> list[object]:
        return [one for one in gc.get_objects() if issubclass(type(one), self._kinds)]


def _is_bare(one: object) -> bool:
    return isinstance(one, BaseException) and one.__traceback__ is None and one.__cause__ is None
