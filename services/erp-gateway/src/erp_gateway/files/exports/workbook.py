"""XLSX files, written by `workbook_process`."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.errors import ExportFailed, ExportNoRoom
from erp_gateway.files.exports.temporary_files import HeldFile, new_file
from erp_gateway.files.exports.workbook_process import CLOSING, FULL
from servicekit.child_process import LOG_NAME, child_process, own_program
from servicekit.working_folders import working_folder

FOLDER_PREFIX: Final = "erp-gateway-export-"
_PROGRAM: Final = "erp_gateway.files.exports.workbook_process"
# Longest run. A million rows of ten cells take 150 s on an idle machine.
_MOST_S: Final = 900

_MAX_LOG: Final = 500

_MEASURED_EVERY_S: Final = 0.1
# Bytes that the process may write between two measurements; it writes about 10 MB per second.
_AHEAD: Final = 4 * 1024 * 1024

_log = structlog.get_logger(__name__)


async def make_workbook(lines: int, budget: SpoolBudget) -> HeldFile:
    """Write an XLSX into a temporary file. Cancelling kills the process.

    Args:
        lines: descriptor of the file written by `sinks.WorkbookSink`, at position 0.
        budget: the budget of the file and of the process's own temporary files.

    Raises:
        ExportNoRoom: there is no disk space for the file.
        ExportFailed: the process failed; the log has its output.
    """
    with new_file(budget) as file:
        async with working_folder(FOLDER_PREFIX) as folder:
            code, output = await _run(lines, file, folder, budget.max_bytes)
        if code == FULL:
            raise ExportNoRoom
        if code:
            _log.error("export_process_failed", exit_code=code, error=output)
            raise ExportFailed
        file.share.resize(_size(file))
    return file


async def _run(lines: int, target: HeldFile, folder: Path, max_bytes: int) -> tuple[int, str]:
    command = own_program(_PROGRAM, str(folder), str(max_bytes), str(_MOST_S))
    async with child_process(command, folder=folder, stdin=lines, stdout=target.fileno()) as process:
        ending = asyncio.ensure_future(process.wait())
        try:
            async with asyncio.timeout(_MOST_S):
                while not ending.done():
                    target.share.resize(_needed(folder, target) + min(_AHEAD, max_bytes // 16))
                    await asyncio.wait([ending], timeout=_MEASURED_EVERY_S)
        except TimeoutError:
            return 1, "it took too long"
        return ending.result(), (folder / LOG_NAME).read_bytes()[-_MAX_LOG:].decode("utf-8", "replace")


def _needed(folder: Path, target: HeldFile) -> int:
    """Return the size of the process's files and of what will be added: at the end it copies all rows."""
    sizes = {}
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # removed since the folder was listed
            sizes[file.name] = file.stat().st_size
    return sum(sizes.values()) * (1 if CLOSING in sizes else 2) + _size(target)


def _size(file: HeldFile) -> int:
    return os.fstat(file.fileno()).st_size
