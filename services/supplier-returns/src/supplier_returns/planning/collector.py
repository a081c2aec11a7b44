"""Pause of Python's cyclic garbage collector."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector during the block. Blocks may overlap, also on several threads.

    A plan creates hundreds of thousands of small values without reference cycles. The collector would scan
    all of them again and again, which doubles the computing time and stops every thread during each scan.
    """
    global _pauses  # noqa: PLW0603 - the process has one collector, and so one counter
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
