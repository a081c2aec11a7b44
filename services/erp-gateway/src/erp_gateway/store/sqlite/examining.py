"""Examine a store's file without changing it: is it a store, and could it be written?"""

import os
import sqlite3
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Final, TypeVar

from attrs import frozen

from erp_gateway.store.sqlite.connection import APPLICATION_ID, open_read_only, read_only_uri
from erp_gateway.store.statements import Work

T = TypeVar("T")

_BUSY_TIMEOUT_S: Final = 1.0


class Obstacle(Enum):
    """Reason why a store can't be written; the value follows the place's name in a sentence."""

    NO_FILE = "is no file"
    NO_FOLDER = "is no folder"
    FOLDER_CLOSED = "is a folder that can't be written to"
    FILE_CLOSED = "can't be written to"

    @property
    def spanish(self) -> str:
        """The reason in Spanish."""
        return _SPANISH[self]


_SPANISH: Final = {
    Obstacle.NO_FILE: "no es un archivo",
    Obstacle.NO_FOLDER: "no es una carpeta",
    Obstacle.FOLDER_CLOSED: "es una carpeta en la que no se puede escribir",
    Obstacle.FILE_CLOSED: "no se puede leer y escribir",
}


@frozen
class Blocker:
    """A file or folder that keeps this process from writing a store.

    Attributes:
        place: the file or folder.
        obstacle: its problem.
    """

    place: Path
    obstacle: Obstacle


def find_problem(path: Path) -> tuple[str, str] | None:
    """Return why the service could not use this store, in English and Spanish, or None.

    Creates and changes nothing.
    """
    blocker = find_blocker(path)
    if blocker is not None:
        place = repr(str(blocker.place))
        return f"{place} {blocker.obstacle.value}", f"{place} {blocker.obstacle.spanish}"
    return _find_content_problem(path) if path.exists() else None


def read_offline(path: Path, work: Work[T]) -> T | None:
    """Run statements on a store's file, opened read-only; return None if there is no store."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(read_only_uri(path), uri=True, timeout=_BUSY_TIMEOUT_S)) as store:
            store.row_factory = sqlite3.Row
            return work(store)
    except sqlite3.DatabaseError:
        return None


def find_blocker(path: Path) -> Blocker | None:
    """Return the file or folder that keeps this process from writing a store, judged by file permissions."""
    if not exists(path):
        return _find_creation_blocker(path)
    if not path.is_file():
        return Blocker(path, Obstacle.NO_FILE)
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return Blocker(path.parent, Obstacle.FOLDER_CLOSED)
    return None if os.access(path, os.R_OK | os.W_OK) else Blocker(path, Obstacle.FILE_CLOSED)


def exists(path: Path) -> bool:
    """Return True if this process can see a file there; never raises, even for a closed folder."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for a closed folder


def _find_creation_blocker(path: Path) -> Blocker | None:
    folder = next(each for each in path.absolute().parents if exists(each))
    if not folder.is_dir():
        return Blocker(folder, Obstacle.NO_FOLDER)
    return None if os.access(folder, os.W_OK | os.X_OK) else Blocker(folder, Obstacle.FOLDER_CLOSED)


def _find_content_problem(path: Path) -> tuple[str, str] | None:
    uri, place = f"{path.absolute().as_uri()}?mode=rw", repr(str(path))
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_TIMEOUT_S)) as store:
            owner = store.execute("PRAGMA application_id").fetchone()[0]
            if owner != APPLICATION_ID and store.execute("SELECT 1 FROM sqlite_schema").fetchone():
                return (
                    f"{place} is a database of another program",
                    f"{place} es una base de datos de otro programa",
                )
            store.execute("BEGIN IMMEDIATE")
            store.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            return None
        return f"{place} can't be used: {error}", f"{place} no se puede usar: {error}"
    except sqlite3.DatabaseError as error:
        return f"{place} is no store: {error}", f"{place} no es un almacén: {error}"
    return None


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@frozen
class StoreFacts:
    """Facts about a store's file.

    Attributes:
        ours: whether it is a store of this program.
        version: number of its newest migration.
        sound: whether SQLite's quick check passes.
        empty: whether it has no tables; the service then creates its store there.
    """

    ours: bool
    version: int
    sound: bool
    empty: bool


async def read_facts(path: Path) -> StoreFacts | None:
    """Read the facts; return None if SQLite can't read the file."""
    try:
        async with open_read_only(path) as store:
            ((owner,),) = await store.rows("PRAGMA application_id")
            ((version,),) = await store.rows("PRAGMA user_version")
            ((check,),) = await store.rows("PRAGMA quick_check(1)")
            ((tables,),) = await store.rows("SELECT COUNT(*) FROM sqlite_schema")
    except sqlite3.DatabaseError:
        return None
    return StoreFacts(
        ours=owner == APPLICATION_ID,
        version=version,
        sound=check == "ok",
        empty=not (owner or version or tables),
    )
