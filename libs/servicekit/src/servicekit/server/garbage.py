"""When Python looks for garbage that holds itself: not while a service starts, and seldom afterwards.

What a service imports and builds stays as long as it does; looking through it again and again takes a good
part of the start. Afterwards a busy service has some thousand objects of its running requests at a time. They
go by themselves when their request ends, so a search each time that there are 700 more finds nothing.
"""

import gc
from typing import Final

_SEARCH_AFTER: Final = 10_000
"""So many more objects than at the last search begin the next one; Python's own number is 700."""


def rest_collector() -> None:
    """Search for no garbage until the process serves; for the first line of a program that will."""
    gc.disable()


def wake_collector() -> None:
    """Search from now on, among what comes from now on; nothing where the collector was not put to rest."""
    if gc.isenabled():
        return
    gc.freeze()
    gc.set_threshold(_SEARCH_AFTER, *gc.get_threshold()[1:])
    gc.enable()
