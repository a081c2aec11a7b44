"""Counts objects of a reply that stay alive without garbage collection.

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
    """Collect no garbage while the block runs.

    Args:
        kinds: of what is counted.
    """
    gc.disable()
    gc.freeze()  # what is there already is looked at no more: that would take a second each time
    try:
        yield Remains(kinds)
    finally:
        gc.unfreeze()
        gc.enable()


class Remains:
    """Counts the objects of some kinds that came into being within the block.

    Args:
        kinds: the classes, with those below them.
    """

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self._kinds = kinds

    async def names(self) -> list[str]:
        """Name those that are alive; of errors only those that hold what they came from.

        What the event loop and its threads have in their hands is given a moment to go.
        """
        for _ in range(_LOOKS):
            if not self._alive():
                break
            await asyncio.sleep(_BETWEEN_S)
        return self._alive()

    def _alive(self) -> list[str]:
        found = (one for one in gc.get_objects() if issubclass(type(one), self._kinds))
        return [type(one).__name__ for one in found if not _is_bare(one)]


def _is_bare(one: object) -> bool:
    return isinstance(one, BaseException) and one.__traceback__ is None and one.__cause__ is None
