"""Pauses Python's cyclic garbage collector."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0


@contextmanager
def gc_paused() -> Iterator[None]:
    """Hold Python's cyclic garbage collector back while the block runs; blocks may overlap, on threads too.

    A plan makes hundreds of thousands of small values, none of which refers back to what holds it. The
    collector would walk through all of them again and again, which doubles the time, and each walk stops
    every thread.
    """
    global _pauses  # noqa: PLW0603 - the collector is one for the whole process, and so is its state
    with _lock:
        _pauses += 1
        if _pauses == 1:
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses:
                gc.enable()
