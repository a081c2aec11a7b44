"""Whether the store could be written, found out without writing to it: for `check-config`."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from erp_gateway.storage.sqlite.connection import APPLICATION_ID

_PATIENCE_S: Final = 1.0


def why_not_usable(path: Path) -> str | None:
    """Say why the service could not use this store, None when it could. Makes and changes nothing."""
    return why_out_of_reach(path) or (_why_no_store(path) if path.exists() else None)


def why_out_of_reach(path: Path) -> str | None:
    """Say why this process may not write a store there, by the file system's word alone; None when it may."""
    if not path.exists():
        return _why_not_made(path)
    if not path.is_file():
        return f"{str(path)!r} is no file"
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return f"the folder {str(path.parent)!r} can't be written to"
    if not os.access(path, os.R_OK | os.W_OK):
        return f"{str(path)!r} can't be written to"
    return None


def _why_not_made(path: Path) -> str | None:
    folder = next(each for each in path.absolute().parents if each.exists())
    if not folder.is_dir():
        return f"{str(folder)!r} is no folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {str(folder)!r} can't be written to"
    return None


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
