"""One process per store: web sessions live in memory, so a second process would not know them."""

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


def who_holds(store_path: Path) -> str | None:
    """Return who holds the lock beside the store, without touching the lock; None where nobody does.

    Where the operating system does not list its locks, whoever took it last is said to hold it.
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
        held = _INODE.findall(_LOCKS.read_text("ascii"))
    except OSError:
        return holder
    return holder if str(inode) in held else None


@contextmanager
def hold_lock_file(store_path: Path) -> Iterator[None]:
    """Hold the lock file beside the store for as long as the block runs.

    The operating system frees the lock when the process ends, however it ends; the file itself stays,
    because deleting it would let two processes hold two different files of the same name.

    Raises:
        StoreInUse: another process holds it.
        StoreNotUsable: the lock file cannot be made.
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
