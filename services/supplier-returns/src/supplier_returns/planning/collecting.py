"""Holding back Python's cyclic garbage collector while a plan is computed.

A plan makes hundreds of thousands of small values, none of which refers back to what holds it. The collector
would walk through all of them again and again, which doubles the time, and each walk stops every thread.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_holding = 0


@contextmanager
def cycles_uncollected() -> Iterator[None]:
    """Hold the collector back while the block runs; blocks may overlap, also on several threads."""
    global _holding  # noqa: PLW0603 - the collector is one for the whole process, and so is its state
    with _lock:
        _holding += 1
        if _holding == 1:
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            _holding -= 1
            if not _holding:
                gc.enable()
