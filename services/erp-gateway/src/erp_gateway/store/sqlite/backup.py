"""Copy the store while it is in use."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from erp_gateway.store.errors import BackupFailed
from erp_gateway.store.sqlite.connection import open_connection


async def back_up(store_path: Path, target: Path) -> int:
    """Write a consistent copy of the store into the new file `target` (mode 0600).

    The copy gets its name only when it is complete and on disk. Writers are not blocked.

    Returns:
        the size of the copy in bytes.

    Raises:
        BackupFailed: `target` exists, there is no store, or the copy could not be written.
    """
    partial = _claim(store_path, target)
    try:
        async with open_connection(store_path, read_only=False) as connection:
            await connection.run(lambda store: store.execute("VACUUM INTO ?", (str(partial),)))
        return _publish(partial, target)
    except (OSError, sqlite3.Error) as error:
        raise BackupFailed(f"could not write the backup {target}: {error}") from error
    finally:
        _unlink(partial)


def forget_sessions(copy: Path) -> None:
    """Delete the web sessions from a copy that is not in use."""
    with closing(sqlite3.connect(copy)) as connection, connection:
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'web_session'").fetchone():
            connection.execute("DELETE FROM web_session")


def _claim(store_path: Path, target: Path) -> Path:
    """Create the temporary file that the copy is written to."""
    if not store_path.is_file():
        raise BackupFailed(f"there is no store at {store_path}")
    if target.exists() or target.is_symlink():
        raise BackupFailed(f"{target} exists already; a backup never overwrites anything")
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise BackupFailed(f"could not write the backup {target}: {error.strerror}") from error
    return partial


def _unlink(partial: Path) -> None:
    partial.unlink(missing_ok=True)


def _publish(partial: Path, target: Path) -> int:
    with partial.open("rb") as file:
        os.fsync(file.fileno())
        size = os.fstat(file.fileno()).st_size
    os.link(partial, target)  # unlike a rename, a link never replaces a file that was created in the meantime
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return size
