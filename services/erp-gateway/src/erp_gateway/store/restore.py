"""Restore a backup of the store, or open a copy of it to check that it could be restored."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from erp_gateway.store.database import Database, hold_process_lock, open_database
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.sqlite.backup import forget_sessions
from erp_gateway.store.sqlite.examining import read_facts

_COMPANIONS = ("-wal", "-shm", ".reserve")


@asynccontextmanager
async def open_copy(backup: Path) -> AsyncIterator[tuple[Database, int]]:
    """Yield a temporary copy of a backup, upgraded to this version, and the version that it had.

    The copy is created beside the backup if that folder is writable, since temporary folders are often small.

    Raises:
        StoreNotUsable: there is no such file, no space for the copy, or it is not a store.
    """
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=_choose_folder(backup)) as folder:
        copy = Path(folder) / "copy.sqlite"
        _copy(backup, copy)
        facts = await read_facts(copy)
        if facts is None or not facts.ours or not facts.sound:
            raise StoreNotUsable(f"{backup} is no sound copy of a store of this service")
        async with open_database(copy) as database:
            yield database, facts.version


def replace_store(backup: Path, store: Path) -> Path | None:
    """Replace the store by a copy of the backup, without its web sessions; return the place of the old one.

    A session in the backup may have ended since, and would be live again.

    Raises:
        StoreNotUsable: another process serves the store, or files can't be written.
    """
    with hold_process_lock(store):
        new = store.with_name(f"{store.name}.restored")
        _copy(backup, new)
        forget_sessions(new)
        old = store.with_name(f"{store.name}.before-restore") if store.exists() else None
        try:
            if old is not None:
                _rename_old(store, old)
            for suffix in _COMPANIONS:  # SQLite would apply the log of a killed process to the copy
                store.with_name(f"{store.name}{suffix}").unlink(missing_ok=True)
            new.replace(store)
        except OSError as error:
            raise StoreNotUsable(f"could not replace the store {store}: {error.strerror}") from error
    return old


def _rename_old(store: Path, old: Path) -> None:
    """Rename the store together with its `-wal` file, which has changes that the store file lacks."""
    store.replace(old)
    log = store.with_name(f"{store.name}-wal")
    old_log = old.with_name(f"{old.name}-wal")
    old_log.unlink(missing_ok=True)
    if log.exists():
        log.replace(old_log)


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


def _choose_folder(backup: Path) -> Path | None:
    if not backup.is_file():
        raise StoreNotUsable(f"there is no file {backup}")
    return backup.parent if os.access(backup.parent, os.W_OK | os.X_OK) else None
