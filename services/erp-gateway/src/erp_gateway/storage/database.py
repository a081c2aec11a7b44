"""The store: one SQLite file, one writing connection, one reading connection.

Writes that wait at the same moment share one commit. The file survives the end of the process at any
point (write-ahead log); with `synchronous=NORMAL` a power cut may lose the last commits, never the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import aiosqlite

T = TypeVar("T")

type_of_work = Callable[[aiosqlite.Connection], Awaitable[T]]


class StoreNotUsable(Exception):
    """The store cannot be opened; the text says why and what to do, for the person who starts the process."""


class Database:
    """An open store; made by `open_database`."""

    async def write(self, work: Callable[[aiosqlite.Connection], Awaitable[T]]) -> T:
        """Run `work` inside a transaction and return its result after the commit.

        Args:
            work: awaits nothing but the connection it is given; must not begin or end a transaction.

        Raises:
            StoreUnavailable: the store refused (disk full, locked, closed); nothing of `work` was kept.
            Exception: whatever `work` raised; nothing of it was kept.
        """
        raise NotImplementedError

    async def read(self, sql: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return the rows of one SELECT, from a connection of its own that never blocks a writer."""
        raise NotImplementedError

    async def data_version(self) -> int:
        """Return a number that changes when another process has committed to the store."""
        raise NotImplementedError

    async def backup(self, target: Path) -> None:
        """Copy the store, as of now, into the new file `target` while work goes on."""
        raise NotImplementedError


@asynccontextmanager
async def open_database(path: Path) -> AsyncIterator[Database]:
    """Open and migrate the store at `path`; finish waiting writes and close it on leaving.

    Raises:
        StoreNotUsable: no permission, not a store, damaged, or written by a newer version.
    """
    raise NotImplementedError
    yield
