"""What a store's file is and whether it could be written, found out without a change."""

import os
import sqlite3
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Final, TypeVar

from attrs import frozen

from erp_gateway.store.sqlite.connection import APPLICATION_ID, open_unchanged, unchangeable
from erp_gateway.store.statements import Work

T = TypeVar("T")

_PATIENCE_S: Final = 1.0


class Obstacle(Enum):
    """Why a store can't be written, as its words say after the place's name."""

    NO_FILE = "is no file"
    NO_FOLDER = "is no folder"
    FOLDER_CLOSED = "is a folder that can't be written to"
    FILE_CLOSED = "can't be written to"


@frozen
class OutOfReach:
    """What keeps this process from a store.

    Attributes:
        place: the file or folder.
        obstacle: what is wrong with it.
    """

    place: Path
    obstacle: Obstacle


def why_not_usable(path: Path) -> str | None:
    """Say why the service could not use this store, None when it could. Makes and changes nothing."""
    kept = find_obstacle(path)
    if kept is not None:
        return f"{str(kept.place)!r} {kept.obstacle.value}"
    return _why_no_store(path) if path.exists() else None


def read_unchanged(path: Path, work: Work[T]) -> T | None:
    """Run statements on a store's file that they can't change; None where there is no store yet, or none."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(unchangeable(path), uri=True, timeout=_PATIENCE_S)) as store:
            store.row_factory = sqlite3.Row
            return work(store)
    except sqlite3.DatabaseError:
        return None


def find_obstacle(path: Path) -> OutOfReach | None:
    """Find what keeps this process from writing a store there, by the file system's word alone."""
    if not is_there(path):
        return _obstacle_to_making(path)
    if not path.is_file():
        return OutOfReach(path, Obstacle.NO_FILE)
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return OutOfReach(path.parent, Obstacle.FOLDER_CLOSED)
    return None if os.access(path, os.R_OK | os.W_OK) else OutOfReach(path, Obstacle.FILE_CLOSED)


def is_there(path: Path) -> bool:
    """Tell whether something is there that this process can see; never raises where a folder is closed."""
    return os.path.exists(path)  # noqa: PTH110 - that of pathlib raises there


def _obstacle_to_making(path: Path) -> OutOfReach | None:
    folder = next(each for each in path.absolute().parents if is_there(each))
    if not folder.is_dir():
        return OutOfReach(folder, Obstacle.NO_FOLDER)
    return None if os.access(folder, os.W_OK | os.X_OK) else OutOfReach(folder, Obstacle.FOLDER_CLOSED)


def _why_no_store(path: Path) -> str | None:
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_PATIENCE_S)) as store:
            owner = store.execute("PRAGMA application_id").fetchone()[0]
            if owner != APPLICATION_ID and store.execute("SELECT 1 FROM sqlite_schema").fetchone():
                return f"{str(path)!r} is a database of another program"
            store.execute("BEGIN IMMEDIATE")
            store.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        return None if _is_busy(error) else f"{str(path)!r} can't be used: {error}"
    except sqlite3.DatabaseError as error:
        return f"{str(path)!r} is no store: {error}"
    return None


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@frozen
class StoreFacts:
    """What a store's file says.

    Attributes:
        ours: whether it is a store of this program.
        version: number of the newest migration that it has.
        sound: whether SQLite finds nothing wrong with it.
        empty: whether nothing was ever made in it; the service makes its store there.
    """

    ours: bool
    version: int
    sound: bool
    empty: bool


async def look_at(path: Path) -> StoreFacts | None:
    """Return what the file says; None where SQLite can't read it."""
    try:
        async with open_unchanged(path) as store:
            ((owner,),) = await store.rows("PRAGMA application_id")
            ((version,),) = await store.rows("PRAGMA user_version")
            ((found,),) = await store.rows("PRAGMA quick_check(1)")
            ((made,),) = await store.rows("SELECT COUNT(*) FROM sqlite_schema")
    except sqlite3.DatabaseError:
        return None
    return StoreFacts(
        ours=owner == APPLICATION_ID,
        version=version,
        sound=found == "ok",
        empty=not (owner or version or made),
    )
