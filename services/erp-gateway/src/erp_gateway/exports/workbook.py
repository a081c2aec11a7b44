"""Having an XLSX file written by `workbook_process`."""

import asyncio
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Final

import structlog

from erp_gateway.exports.budget import HeldFile, Share, SpoolBudget, temporary_file
from erp_gateway.exports.errors import ExportFailed, ExportNoRoom
from erp_gateway.exports.workbook_process import CLOSING, FULL
from servicekit.tasks import finish

_PROGRAM: Final = "erp_gateway.exports.workbook_process"
_PREFIX: Final = "erp-gateway-export-"
_UNLOCKED: Final = "new-"
_MOST_S: Final = 900
"""Longest writing; a million rows of ten cells take 150 s on a machine that has nothing else to do."""

_MAX_LOG: Final = 500

_MEASURED_EVERY_S: Final = 0.1
_AHEAD: Final = 4 * 1024 * 1024
"""What the process may write between two measurements; it writes some 10 MB a second."""

_log = structlog.get_logger(__name__)


async def make_workbook(lines: int, budget: SpoolBudget) -> HeldFile:
    """Return the finished file, which has no name and is gone when it is closed.

    Cancelling kills the process.

    Args:
        lines: descriptor of what `sinks.WorkbookSink` wrote, at its start.
        budget: bounds the file and the temporary ones that the process writes beside it, with all others.

    Raises:
        ExportNoRoom: there is no room for it.
        ExportFailed: the process failed, the log says how.
    """
    target = temporary_file()
    held = HeldFile(target, share := budget.share())
    try:
        async with _folder() as folder:
            code, told = await _run(lines, target, folder, share, budget.max_bytes)
        if code == FULL:
            raise ExportNoRoom  # noqa: TRY301 - the file is closed on every road but the good one
        if code:
            _log.error("export_process_failed", exit_code=code, error=told)
            raise ExportFailed  # noqa: TRY301 - as above
        share.resize(_size(target))
    except OSError as error:
        held.close()
        raise ExportNoRoom from error
    except BaseException:
        held.close()
        raise
    return held


@asynccontextmanager
async def _folder() -> AsyncIterator[Path]:
    """Make a folder, locked as long as it is worked in; the lock ends with this process, too."""
    folder, lock = _make_folder()
    try:
        yield folder
    finally:
        os.close(lock)
        await finish(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))


def _make_folder() -> tuple[Path, int]:
    """Return a new folder and its lock. It has its own name only once it is locked."""
    unlocked = Path(tempfile.mkdtemp(prefix=_UNLOCKED + _PREFIX))
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


async def _run(lines: int, target: IO[bytes], folder: Path, share: Share, max_bytes: int) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", _PROGRAM, str(folder), str(max_bytes), str(_MOST_S)),
        stdin=lines,
        stdout=target.fileno(),
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.defpath, "LANG": "C.UTF-8", "TMPDIR": str(folder)},  # ours holds secrets
    )
    talking = asyncio.ensure_future(process.communicate())
    try:
        async with asyncio.timeout(_MOST_S):
            while not talking.done():
                share.resize(_needed(folder, target) + min(_AHEAD, max_bytes // 16))
                await asyncio.wait([talking], timeout=_MEASURED_EVERY_S)
        _, told = talking.result()
    except TimeoutError:
        return 1, "it took too long"
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await finish(process.wait())
        await asyncio.gather(talking, return_exceptions=True)
    return process.returncode or 0, told[-_MAX_LOG:].decode("utf-8", "replace")


def _needed(folder: Path, target: IO[bytes]) -> int:
    """Return what the process's files hold, and what is sure to come: in the end it copies all its rows."""
    sizes = {}
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # done with since the folder was listed
            sizes[file.name] = file.stat().st_size
    return sum(sizes.values()) * (1 if CLOSING in sizes else 2) + _size(target)


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def remove_left_folders(parent: Path) -> None:
    """Remove what processes that were killed have left: a folder that nobody has locked."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is in use, another user's, or goes away just now
            lock = _lock(folder)
            try:
                shutil.rmtree(folder)
            finally:
                os.close(lock)
