"""Lock file of a store. Web sessions are in memory, so only one process may serve a store."""

import fcntl
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from erp_gateway.store.errors import StoreInUse, StoreNotUsable

_LOCKS: Final = Path("/proc/locks")
_INODE: Final = re.compile(r" [0-9a-f]+:[0-9a-f]+:([0-9]+) ")


def _lock_path(store_path: Path) -> Path:
    return store_path.with_name(store_path.name + ".lock")


def find_holder(store_path: Path) -> str | None:
    """Return the holder of the lock without touching the lock, or None if it is free.

    If the operating system does not list its locks, the last holder is returned.
    """
    lock_path = _lock_path(store_path)
    try:
        inode = lock_path.stat().st_ino
    except OSError:
        return None
    try:
        holder = lock_path.read_text("ascii", "replace").strip()[:200] or "an unnamed process"
    except OSError:
        holder = "a process of another user"
    try:
        locked_inodes = _INODE.findall(_LOCKS.read_text("ascii"))
    except OSError:
        return holder
    return holder if str(inode) in locked_inodes else None


@contextmanager
def hold_lock_file(store_path: Path) -> Iterator[None]:
    """Hold the lock file beside the store while the block runs.

    The operating system frees the lock when the process ends, however it ends. The file itself stays: if it
    were deleted, two processes could lock two different files of the same name.

    Raises:
        StoreInUse: another process has the lock.
        StoreNotUsable: the lock file cannot be created.
    """
    lock_path = _lock_path(store_path)
    try:
        lock_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreNotUsable(
            f"cannot make the lock file {lock_path}: {error.strerror}; SQLITE_PATH must name a file in a "
            "folder this process may write to"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 200).decode("ascii", "replace").strip() or "an unnamed process"
            raise StoreInUse(
                f"{store_path} is in use by {holder}; only one process may serve a store"
            ) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode("ascii", "replace"))
        yield
    finally:
        os.close(descriptor)
