"""Putting a copy of the store into its place; and a copy opened apart, to see whether it could be."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from erp_gateway.store.database import Database, hold_process_lock, open_database
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.sqlite.backup import forget_sessions
from erp_gateway.store.sqlite.examining import look_at

_BESIDE = ("-wal", "-shm", ".reserve")


@asynccontextmanager
async def open_copy(backup: Path) -> AsyncIterator[tuple[Database, int]]:
    """Yield a temporary copy of a backup, brought to this program's form, and the version that it had.

    The copy lies beside the backup where that folder can be written, since temporary folders are often small.

    Raises:
        StoreNotUsable: There is no such file, no room for the copy, or it is no store.
    """
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=_roomy_folder(backup)) as folder:
        copy = Path(folder) / "copy.sqlite"
        _copy(backup, copy)
        facts = await look_at(copy)
        if facts is None or not facts.ours or not facts.sound:
            raise StoreNotUsable(f"{backup} is no sound copy of a store of this service")
        async with open_database(copy) as database:
            yield database, facts.version


def put_in_place(backup: Path, store: Path) -> Path | None:
    """Replace the store by a copy of the backup, without its web sessions; return where the old one is.

    A session in the backup may have ended since, and would be live again.

    Raises:
        StoreNotUsable: Another process serves the store, or files can't be written.
    """
    with hold_process_lock(store):
        new = store.with_name(f"{store.name}.restored")
        _copy(backup, new)
        forget_sessions(new)
        kept = store.with_name(f"{store.name}.before-restore") if store.exists() else None
        try:
            if kept is not None:
                _set_aside(store, kept)
            for end in _BESIDE:  # SQLite would lay what a killed process left there over the copy
                store.with_name(f"{store.name}{end}").unlink(missing_ok=True)
            new.replace(store)
        except OSError as error:
            raise StoreNotUsable(f"could not replace the store {store}: {error.strerror}") from error
    return kept


def _set_aside(store: Path, kept: Path) -> None:
    """Rename the store, with the changes that only its `-wal` file has."""
    store.replace(kept)
    beside = store.with_name(f"{store.name}-wal")
    kept_beside = kept.with_name(f"{kept.name}-wal")
    kept_beside.unlink(missing_ok=True)
    if beside.exists():
        beside.replace(kept_beside)


def _copy(backup: Path, target: Path) -> None:
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as written, backup.open("rb") as read:
            shutil.copyfileobj(read, written, 1024 * 1024)
            written.flush()
            os.fsync(written.fileno())
    except OSError as error:
        target.unlink(missing_ok=True)
        raise StoreNotUsable(f"could not copy {backup} to {target.parent}: {error.strerror}") from error


def _roomy_folder(backup: Path) -> Path | None:
    if not backup.is_file():
        raise StoreNotUsable(f"there is no file {backup}")
    return backup.parent if os.access(backup.parent, os.W_OK | os.X_OK) else None
