"""When Python's collector of garbage that holds itself searches: not while a service starts, then seldom."""

import gc
from typing import Final

_SEARCH_AFTER: Final = 10_000
"""So many more objects than at the last search begin the next one; Python's own number is 700."""


def rest_collector() -> None:
    """Search for none until the process serves; for a program's first line, before it loads anything.

    What a service imports and builds stays as long as it does; looking through it again and again takes a
    good part of the start.
    """
    gc.disable()


def wake_collector() -> None:
    """Search from now on, among what comes from now on; nothing where the collector was not put to rest.

    Seldom: a busy service has some thousand objects of its running requests at a time, which go by themselves
    when their request ends, so a search each time that there are 700 more finds nothing.
    """
    if gc.isenabled():
        return
    gc.freeze()
    gc.set_threshold(_SEARCH_AFTER, *gc.get_threshold()[1:])
    gc.enable()
