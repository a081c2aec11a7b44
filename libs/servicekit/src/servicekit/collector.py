"""Controls Python's cyclic garbage collector: off during the start, then at long intervals."""

import gc
from typing import Final

# Number of new objects after which a collection starts; Python's default is 700.
_SEARCH_AFTER: Final = 10_000


def rest_collector() -> None:
    """Disable the collector until the process serves. Call it before loading any module.

    Objects created during the start live as long as the service, and scanning them repeatedly takes a large
    part of the start.
    """
    gc.disable()


def wake_collector() -> None:
    """Enable the collector for objects created from now on, if it was disabled.

    The interval is long: a busy service has some thousand objects of running requests, which are freed when
    their request ends, so a collection every 700 objects finds no garbage.
    """
    if gc.isenabled():
        return
    gc.freeze()
    gc.set_threshold(_SEARCH_AFTER, *gc.get_threshold()[1:])
    gc.enable()
