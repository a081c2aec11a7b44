"""Having an XLSX file written by `workbook_process`."""

import asyncio
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import structlog

from erp_gateway.exports.errors import ExportFailed, ExportNoRoom
from erp_gateway.exports.workbook_process import FULL
from servicekit.tasks import finish

_PROGRAM: Final = "erp_gateway.exports.workbook_process"
_PREFIX: Final = "erp-gateway-export-"
_MOST_S: Final = 900
"""Longest writing; a million rows of ten cells take 150 s on a machine that has nothing else to do."""

_MAX_LOG: Final = 500

_log = structlog.get_logger(__name__)


async def make_workbook(lines: int, *, max_bytes: int) -> IO[bytes]:
    """Return the finished file, which has no name and is gone when it is closed.

    Cancelling kills the process.

    Args:
        lines: descriptor of what `sinks.WorkbookSink` wrote, at its start.
        max_bytes: most of the file, and of each temporary one.

    Raises:
        ExportNoRoom: there is no room for it.
        ExportFailed: the process failed, the log says how.
    """
    folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
    target: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the caller closes it
    try:
        code, told = await _run(lines, target, folder, max_bytes)
        if code == FULL:
            raise ExportNoRoom  # noqa: TRY301 - the file is closed on every road but the good one
        if code:
            _log.error("export_process_failed", exit_code=code, error=told)
            raise ExportFailed  # noqa: TRY301 - as above
    except BaseException:
        target.close()
        raise
    finally:
        await finish(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))
    return target


async def _run(lines: int, target: IO[bytes], folder: str, max_bytes: int) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", _PROGRAM, folder, str(max_bytes), str(_MOST_S)),
        stdin=lines,
        stdout=target.fileno(),
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.defpath, "LANG": "C.UTF-8", "TMPDIR": folder},  # ours holds secrets
    )
    try:
        async with asyncio.timeout(_MOST_S):
            _, told = await process.communicate()
    except TimeoutError:
        return 1, "it took too long"
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await finish(process.wait())
    return process.returncode or 0, told[-_MAX_LOG:].decode("utf-8", "replace")


def remove_left_folders(parent: Path) -> None:
    """Remove what processes that were killed have left."""
    for folder in parent.glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError):
            if owner.isdigit() and not Path(f"/proc/{owner}").exists() and not folder.is_symlink():
                shutil.rmtree(folder)
