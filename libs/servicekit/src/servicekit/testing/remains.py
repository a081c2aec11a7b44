"""Objects that stay alive after a response, while garbage collection is off.

A serving process rarely collects garbage. An error that refers to its own frames, and to the response in
them, would stay in memory until then.
"""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_ATTEMPTS: Final = 60
_BETWEEN_S: Final = 0.05


@contextmanager
def uncollected(*kinds: type) -> Iterator["Remains"]:
    """Disable garbage collection while the block runs.

    Args:
        kinds: the counted classes.
    """
    gc.disable()
    gc.freeze()  # exclude existing objects: scanning them would take a second each time
    try:
        yield Remains(kinds)
    finally:
        gc.unfreeze()
        gc.enable()


class Remains:
    """Counts the objects of some classes created within the block.

    Args:
        kinds: the classes, with those below them.
    """

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self._kinds = kinds

    async def names(self) -> list[str]:
        """Return the names of live objects; of errors only those that refer to their cause.

        Objects of the event loop and its threads get a moment to be freed.
        """
        for _ in range(_ATTEMPTS):
            if not self._alive():
                break
            await asyncio.sleep(_BETWEEN_S)
        return self._alive()

    def _alive(self) -> list[str]:
        objects = (one for one in gc.get_objects() if issubclass(type(one), self._kinds))
        return [type(one).__name__ for one in objects if not _is_bare(one)]


def _is_bare(one: object) -> bool:
    return isinstance(one, BaseException) and one.__traceback__ is None and one.__cause__ is None
