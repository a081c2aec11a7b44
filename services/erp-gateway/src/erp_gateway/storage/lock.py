"""One process per store: web sessions live in memory, so a second process would not know them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StoreInUse(Exception):
    """Another process holds the store; the text names it."""


@contextmanager
def hold_process_lock(store_path: Path) -> Iterator[None]:
    """Hold the lock file beside the store for as long as the block runs.

    The operating system frees the lock when the process ends, however it ends.

    Raises:
        StoreInUse: another process holds it.
    """
    raise NotImplementedError
    yield
