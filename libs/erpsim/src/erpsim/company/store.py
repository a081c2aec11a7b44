"""Storage of changes over the seed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

import attrs

from erpsim.company.exchange import Fields, Key

FORMAT = 2
"""Version of the store format. Raise it whenever seeds or rows change their meaning, so that an older file is
refused instead of misread.
"""
_DECIMAL = "$decimal"


class StoreError(Exception):
    """A store file can't be used; the message says why."""


@attrs.frozen
class Change:
    """One changed row.

    Args:
        table: entity set.
        key: the row's key.
        row: the current row, None if it was removed.
    """

    table: str
    key: Key
    row: Fields | None


class Store(Protocol):
    """Protocol of a store for changed rows. The seed itself is never stored."""

    def load(self, seed: str) -> Iterable[Change]:
        """Return all stored changes of this seed.

        Raises:
            StoreError: the changes belong to another seed.
        """
        ...

    def save(self, changes: Iterable[Change]) -> None:
        """Save these changes atomically."""
        ...

    def clear(self) -> None:
        """Forget all changes."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class MemoryStore:
    """Store without persistence: changes live as long as the process."""

    def load(self, seed: str) -> Iterable[Change]:  # noqa: ARG002 - the protocol's parameter
        return ()

    def save(self, changes: Iterable[Change]) -> None: ...

    def clear(self) -> None: ...

    def close(self) -> None: ...


class FileStore:
    """Stores changes in a SQLite file with a format version.

    Args:
        path: the file; made when it is not there.

    Raises:
        StoreError: the file is no store of this format.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise StoreError(f"{path}: {error}") from error
        try:
            self._prepare()
        except sqlite3.Error as error:
            self.close()
            raise StoreError(f"{path}: {error}") from error

    def _prepare(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS changes"
            " (name TEXT NOT NULL, key TEXT NOT NULL, row TEXT, PRIMARY KEY (name, key))"
        )
        stored_format = self._fact("format")
        if stored_format is None:
            connection.execute("INSERT INTO facts VALUES ('format', ?)", (str(FORMAT),))
        elif stored_format != str(FORMAT):
            self.close()
            raise StoreError(
                f"{self._path}: format {stored_format}, this version reads {FORMAT}; remove the file"
            )

    def _fact(self, name: str) -> str | None:
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def load(self, seed: str) -> Iterable[Change]:
        """Return all changes. A new file is bound to this seed."""
        bound = self._fact("seed")
        if bound is None:
            self._connection.execute("INSERT INTO facts VALUES ('seed', ?)", (seed,))
        elif bound != seed:
            raise StoreError(f"{self._path}: holds changes over the seed {bound!r}, not {seed!r}")
        rows = self._connection.execute("SELECT name, key, row FROM changes").fetchall()
        return [
            Change(name, tuple(json.loads(key)), None if row is None else _decode(row))
            for name, key, row in rows
        ]

    def save(self, changes: Iterable[Change]) -> None:
        """Write these changes in one transaction."""
        rows = [
            (each.table, json.dumps(each.key), None if each.row is None else _encode(each.row))
            for each in changes
        ]
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?, ?)", rows)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def clear(self) -> None:
        """Forget all changes."""
        self._connection.execute("DELETE FROM changes")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _encode(row: Fields) -> str:
    return json.dumps(row, default=lambda number: {_DECIMAL: str(number)}, separators=(",", ":"))


def _decode(text: str) -> Fields:
    decoded: Fields = json.loads(text, object_hook=_revive)
    return decoded


def _revive(value: dict[str, Any]) -> Any:
    return Decimal(value[_DECIMAL]) if _DECIMAL in value else value
