"""Where the world keeps what changed over its seed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from erpsim.records import Fields


class Store(Protocol):
    """Keeps changed rows; the seed itself is never stored."""

    def load(self, seed: str) -> Iterable[tuple[str, str, Fields | None]]:
        """Yield set name, key text and row (None: deleted) of all changes over this seed."""
        ...

    def save(self, changes: Iterable[tuple[str, str, Fields | None]]) -> None:
        """Keep these changes, all or none."""
        ...

    def clear(self) -> None:
        """Forget all changes."""
        ...

    def close(self) -> None:
        """Give back the file."""
        ...


class MemoryStore:
    """Keeps nothing: the world lives as long as its process."""

    def load(self, seed: str) -> Iterable[tuple[str, str, Fields | None]]:
        """Yield nothing."""
        raise NotImplementedError

    def save(self, changes: Iterable[tuple[str, str, Fields | None]]) -> None:
        """Keep nothing."""
        raise NotImplementedError

    def clear(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class FileStore:
    """Keeps the changes in one SQLite file with a format version.

    Raises:
        StoreError: the file is of another format or belongs to another seed.
    """

    def __init__(self, path: Path) -> None:
        raise NotImplementedError
