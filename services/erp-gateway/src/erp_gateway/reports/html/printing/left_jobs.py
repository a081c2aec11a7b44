"""Processes and folders of print jobs whose service was killed.

Each job records its process in its folder: the process id, its start time and the folder. The next service
ends a process only if all three still match.
"""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog
from attrs import asdict, frozen

from servicekit.working_folders import remove_left_folders

_log = structlog.get_logger(__name__)


FOLDER_PREFIX: Final = "erp-gateway-pdf-"
RECORD_NAME: Final = "process.json"

_END_S: Final = 5.0
_POLL_S: Final = 0.01
_MAX_RECORD_BYTES: Final = 8 * 1024


@frozen
class ProcessRecord:
    """Process that prints in a folder.

    Attributes:
        pid: its process, which leads a session and a group of its own.
        started: start time in clock ticks since boot (`/proc/PID/stat`, field 22).
        folder: its working folder, with a browser's profile inside.
    """

    pid: int
    started: int
    folder: str


@frozen
class _Running:
    """A process as Linux shows it."""

    pid: int
    session: int
    started: int


def record_process(pid: int, folder: Path) -> None:
    """Record the process that prints in a folder. Has no effect on systems without Linux's start times.

    Raises:
        OSError: the folder can't be written.
    """
    running = _running(pid)
    if running is not None:
        record = ProcessRecord(pid=pid, started=running.started, folder=str(folder))
        (folder / RECORD_NAME).write_text(json.dumps(asdict(record)), encoding="utf-8")


def clean_left_jobs(temporary: Path) -> None:
    """End and remove the jobs of killed services. Jobs of running ones stay. Blocks.

    Args:
        temporary: parent folder of the jobs.
    """
    remove_left_folders(temporary, FOLDER_PREFIX, _end_job)


def _end_job(folder: Path) -> None:
    killed = _end_recorded(folder)
    _log.warning("pdf_job_left_by_a_killed_service", folder=str(folder), process_ended=killed)


def _end_recorded(folder: Path) -> bool:
    """Kill the recorded process with its group and wait for it; return whether there was one."""
    record = _read_record(folder)
    if record is None or not _is_ours(record):
        return False
    with suppress(ProcessLookupError):
        os.killpg(record.pid, signal.SIGKILL)
    last = time.monotonic() + _END_S
    while _members(record.pid) and time.monotonic() < last:
        time.sleep(_POLL_S)
    return True


def _read_record(folder: Path) -> ProcessRecord | None:
    try:
        with (folder / RECORD_NAME).open("rb") as file:
            logged: Any = json.loads(file.read(_MAX_RECORD_BYTES))
        record = ProcessRecord(**logged)
    except (OSError, ValueError, TypeError):
        return None
    whole = type(record.pid) is int and type(record.started) is int and record.pid > 1
    return record if whole and record.folder == str(folder) else None


def _is_ours(record: ProcessRecord) -> bool:
    members = _members(record.pid)
    leader = next((each for each in members if each.pid == record.pid), None)
    if leader is not None:
        return leader.started == record.started and _names(leader, record.folder)
    return any(each.started >= record.started and _names(each, record.folder) for each in members)


def _members(session: int) -> list[_Running]:
    if sys.platform != "linux":
        return []
    record = (_running(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdecimal())
    return [each for each in record if each is not None and each.session == session]


def _running(pid: int) -> _Running | None:
    """Return a running process, or None without one or on systems without Linux's start times."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # Count from the last parenthesis: field 2 is a process name that may contain anything.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else _Running(pid, int(fields[3]), int(fields[19]))


def _names(process: _Running, folder: str) -> bool:
    try:
        command = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    except OSError:
        return False
    return os.fsencode(folder) + b"/" in command
