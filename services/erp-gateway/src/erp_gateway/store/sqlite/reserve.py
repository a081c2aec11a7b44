"""Reserved disk space, so that audit and ledger can finish when the disk is full."""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

RESERVE_BYTES: Final = 32 * 1024 * 1024
"""Space for about 60,000 audit records."""

# Free space needed to create the reserve, so that it never takes the last space from other programs.
_MIN_FREE_BYTES: Final = 4 * RESERVE_BYTES

_RETRY_S: Final = 60.0
_OUT_OF_SPACE: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
FREE_SPACE_REMEDY: Final = "free space there (old copies of the store, logs, unused images) or move the store"

_log = structlog.get_logger(__name__)


def is_out_of_space(error: BaseException | None) -> bool:
    """Return True if an error may come from a full disk; SQLite reports some of those as I/O errors."""
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode in _OUT_OF_SPACE


class DiskReserve:
    """Reserves disk space with a file beside the store.

    Args:
        store: the store's file.
        monotonic: returns seconds that never jump.
    """

    def __init__(self, store: Path, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._file = store.with_name(f"{store.name}.reserve")
        self._monotonic = monotonic
        self._next_at = 0.0

    @property
    def is_reserved(self) -> bool:
        """True if the space is reserved now."""
        return self._file.exists()

    def keep(self) -> None:
        """Reserve the space if the disk has plenty; at most one attempt a minute."""
        now = self._monotonic()
        if now < self._next_at:
            return
        self._next_at = now + _RETRY_S
        try:
            if self.is_reserved or shutil.disk_usage(self._store.parent).free < _MIN_FREE_BYTES:
                return
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._file.unlink(missing_ok=True)
            _log.warning("disk_reserve_not_kept", path=str(self._file), reason=error.strerror)

    def free(self) -> bool:
        """Release the reserved space; return False if there was none."""
        try:
            self._file.unlink()
        except OSError:
            return False
        self._next_at = self._monotonic() + _RETRY_S
        _log.critical(
            "disk_reserve_freed", path=str(self._store), bytes=RESERVE_BYTES, action=FREE_SPACE_REMEDY
        )
        return True

    def end(self) -> None:
        """Delete the reserve, so that the next start on a full disk has space."""
        self._file.unlink(missing_ok=True)


def describe_full_disk(store: Path) -> str | None:
    """Describe the store's full disk and the remedy; return None if there is space."""
    usage = shutil.disk_usage(store.parent)
    if usage.free >= 1024 * 1024:
        return None
    free = f"{usage.free // 1024} KB free of {usage.total // 1024**2} MB"
    return f"the disk of the store {store} is full ({free}); {FREE_SPACE_REMEDY}"
