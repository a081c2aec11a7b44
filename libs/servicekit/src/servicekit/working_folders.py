"""Folders that a child process works in: locked as long as they are used, and removed with all in them.

The operating system frees a lock when the service ends, however it ends, so an unlocked folder was left.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from servicekit.tasks import finish

_UNLOCKED: Final = "new-"


@asynccontextmanager
async def working_folder(
    prefix: str, *, parent: Path | None = None, executor: Executor | None = None
) -> AsyncIterator[Path]:
    """Create a private folder, and remove it on exit.

    Args:
        prefix: prefix of its name.
        parent: its parent folder; the system's temporary folder if omitted.
        executor: executor of its removal; the event loop's if omitted.

    Raises:
        OSError: it can't be made.
    """
    folder, lock = _make_folder(prefix, parent)
    try:
        yield folder
    finally:
        os.close(lock)
        removing = asyncio.get_running_loop().run_in_executor(executor, _remove, folder)
        await finish(asyncio.wait({removing}))


def _make_folder(prefix: str, parent: Path | None) -> tuple[Path, int]:
    unlocked = Path(tempfile.mkdtemp(prefix=_UNLOCKED + prefix, dir=parent))
    try:
        lock = _lock(unlocked)
    except OSError:
        unlocked.rmdir()
        raise
    return unlocked.rename(unlocked.with_name(unlocked.name.removeprefix(_UNLOCKED))), lock


def _lock(folder: Path) -> int:
    """Lock a folder until the descriptor is closed, by its process's end at the latest.

    Raises:
        BlockingIOError: another has locked it.
        OSError: it is no folder, or nothing can be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def remove_left_folders(parent: Path, prefix: str, end: Callable[[Path], object] = lambda _: None) -> None:
    """Remove unlocked folders of killed services. Blocks.

    Args:
        parent: their parent folder.
        prefix: prefix of their names.
        end: called with each one before its removal.
    """
    for folder in sorted(parent.glob(f"{prefix}*")):
        with suppress(OSError):  # in use, another user's, or being removed
            lock = _lock(folder)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    end(folder)
                    _remove(folder)
            finally:
                os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder and its contents, including unreadable ones; never raises. Blocks."""
    with suppress(OSError):
        for parent, names, _ in os.walk(folder):
            for inner in (Path(parent, name) for name in names):
                if not inner.is_symlink():
                    inner.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
