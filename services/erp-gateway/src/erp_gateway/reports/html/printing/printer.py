"""From a document to its PDF: a turn in the queue, a folder, a process, and nothing left of them.

What prints is recorded in the job's folder by its process id, its start and the folder itself: where a
service was killed, the next one ends a process of which all three still hold, and no other.
"""

import asyncio
import json
import math
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import structlog
from attrs import asdict, frozen

from erp_gateway.reports.html.errors import (
    PdfFailed,
    PdfNotStarted,
    PdfQueueFull,
    PdfQueueTimeout,
    PdfTimeout,
)
from erpclient import QueueRules
from servicekit.child_process import LOG_NAME, child_process, own_program
from servicekit.erp.observed_queue import ObservedQueue, QueueObserver
from servicekit.errors import ShuttingDown
from servicekit.working_folders import remove_left_folders, working_folder

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)

CONTENT_SECURITY_POLICY: Final = f"sandbox; {_POLICY}; frame-ancestors 'none'"
"""As a header, where `sandbox` and `frame-ancestors` count too: the latter as on every other answer."""

GUARD: Final = (
    f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
)
"""What stands in front of every document."""


def guarded(html: str) -> str:
    """Return the document with the policy in front of everything else.

    A document of its own follows: to a parser of HTML its `<!doctype>` and `<head>` are then superfluous and
    the attributes of its `<html>` are taken over. Nothing in it can come before the policy, not even what
    stands in front of its `<head>` or pretends to be one in a comment.
    """
    return GUARD + html.removeprefix("\ufeff")  # a byte order mark


PDF_NAME: Final = "report.pdf"
"""The file that a job's command writes into the job's folder."""


class PdfEngine(Protocol):
    """One way to print; each job runs its command as a process of its own."""

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document into the job's folder and return the command that prints it; runs in a thread.

        Args:
            html: the document, guarded.
            folder: the job's own empty folder; the command runs in it and leaves `PDF_NAME` there.

        Raises:
            BrowserUnavailable: there is nothing to print with.
            OSError: the folder can't be written.
        """
        ...


_DOCUMENT: Final = "document.html"
_PROGRAM: Final = "erp_gateway.reports.html.printing.weasyprint_process"
_CPU_MARGIN_S: Final = 5


def is_weasyprint_installed() -> bool:
    """Tell whether its package is there; a smaller image leaves it out."""
    return find_spec("weasyprint") is not None


class WeasyPrintEngine:
    """Prints without a browser: for small reports, since 200 pages take it ten times as long.

    Args:
        timeout_s: how long a job may take; its processor time is bounded a little above, so that a job ends
            even when nobody is left to end it.
    """

    def __init__(self, timeout_s: float) -> None:
        self._cpu_s = math.ceil(timeout_s) + _CPU_MARGIN_S

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document; see `PdfEngine`."""
        document = folder / _DOCUMENT
        document.write_text(html, encoding="utf-8", errors="replace")
        return own_program(_PROGRAM, str(document), str(folder / PDF_NAME), str(self._cpu_s))


_log = structlog.get_logger(__name__)

FOLDER_PREFIX: Final = "erp-gateway-pdf-"
RECORD_NAME: Final = "process.json"

_END_S: Final = 5.0
_POLL_S: Final = 0.01
_MAX_RECORD_BYTES: Final = 8 * 1024


@frozen
class ProcessRecord:
    """What is printing in a folder.

    Attributes:
        pid: its process, which leads a session and a group of its own.
        started: when it started, in ticks since the machine did (`/proc/PID/stat`, field 22).
        folder: where it prints; a browser's profile lies inside.
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
    """Write down what prints in a folder; nothing where the system does not tell starts as Linux does.

    Raises:
        OSError: the folder can't be written.
    """
    running = _running(pid)
    if running is not None:
        record = ProcessRecord(pid=pid, started=running.started, folder=str(folder))
        (folder / RECORD_NAME).write_text(json.dumps(asdict(record)), encoding="utf-8")


def clean_left_jobs(temporary: Path) -> None:
    """End and remove what services left that were killed; what belongs to a running one stays. Blocks.

    Args:
        temporary: where jobs have their folders.
    """
    remove_left_folders(temporary, FOLDER_PREFIX, _end_job)


def _end_job(folder: Path) -> None:
    ended = _end_recorded(folder)
    _log.warning("pdf_job_left_by_a_killed_service", folder=str(folder), process_ended=ended)


def _end_recorded(folder: Path) -> bool:
    """Kill the recorded process with its group, and wait for it; tell whether there was one."""
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
            told: Any = json.loads(file.read(_MAX_RECORD_BYTES))
        record = ProcessRecord(**told)
    except (OSError, ValueError, TypeError):
        return None
    whole = type(record.pid) is int and type(record.started) is int and record.pid > 1
    return record if whole and record.folder == str(folder) else None


def _is_ours(record: ProcessRecord) -> bool:
    """Tell whether the recorded process still runs, or, after its end, some of what it started."""
    members = _members(record.pid)
    leader = next((each for each in members if each.pid == record.pid), None)
    if leader is not None:
        return leader.started == record.started and _names(leader, record.folder)
    return any(each.started >= record.started and _names(each, record.folder) for each in members)


def _members(session: int) -> list[_Running]:
    """Return the processes of a session."""
    if sys.platform != "linux":
        return []
    found = (_running(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdecimal())
    return [each for each in found if each is not None and each.session == session]


def _running(pid: int) -> _Running | None:
    """Return a process that has not ended, None without one or where the system does not tell."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # from the third on: the second, a name, may hold anything
    return None if fields[0] in "ZX" else _Running(pid, int(fields[3]), int(fields[19]))


def _names(process: _Running, folder: str) -> bool:
    """Tell whether a process was started with a file or profile in this folder."""
    try:
        command = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    except OSError:
        return False
    return os.fsencode(folder) + b"/" in command


MAX_PDF_BYTES: Final = 64 * 1024 * 1024
"""Largest PDF that is handed out."""

MAX_WAITING: Final = 32
MAX_WAITING_PER_USER: Final = 16
"""Documents that may wait for their turn, in all and of one user."""

_QUEUE: Final = "pdf"
_MAX_LOG_BYTES: Final = 64 * 1024
_MAX_COMPLAINT_CHARS: Final = 300
_FATAL: Final = re.compile(rb"[^\n]*(?:FATAL|Running as root|No usable sandbox|Error:)[^\n]*")

T = TypeVar("T")


class PdfPrinter:
    """Prints documents, each in a process of its own; users take turns.

    Args:
        engine: what prints.
        places: how many print at the same time.
        timeout_s: how long one may wait for its turn, and how long it may then take.
        executor: threads for the work on files; nothing else may keep them busy.
        temporary: where the jobs' folders are made; the system's place for such when omitted.
        observer: is told of every job.
    """

    def __init__(
        self,
        engine: PdfEngine,
        *,
        places: int,
        timeout_s: float,
        executor: Executor,
        temporary: Path | None = None,
        observer: QueueObserver | None = None,
    ) -> None:
        self._engine = engine
        rules = QueueRules(
            capacity=places,
            max_waiting=MAX_WAITING,
            max_waiting_per_user=MAX_WAITING_PER_USER,
            wait_s=timeout_s,
            full=lambda _: PdfQueueFull(),
            too_late=PdfQueueTimeout,
            closed=ShuttingDown,
        )
        self._queue = ObservedQueue(rules, observer)
        self._timeout_s = timeout_s
        self._executor = executor
        self._temporary = temporary

    async def print(self, html: str, *, user: str) -> bytes:
        """Return the document as PDF. Cancelling ends the job at once.

        Args:
            html: the document, guarded.
            user: in whose turn it is printed.

        Raises:
            BrowserUnavailable: there is nothing to print with.
            PdfQueueFull: too many wait already, in all or of this user.
            PdfQueueTimeout: its turn did not come in time.
            PdfNotStarted: no process or no folder could be made.
            PdfTimeout: printing took too long.
            PdfFailed: printing ended without a PDF.
            ShuttingDown: the service stops.
        """
        async with self._queue.observed(_QUEUE):
            with await self._queue.take(user):
                return await self._print_in_folder(html)

    def drain(self) -> None:
        """Send away all documents that wait for their turn."""
        self._queue.close()

    async def _print_in_folder(self, html: str) -> bytes:
        folder: Path | None = None
        try:
            async with working_folder(
                FOLDER_PREFIX, parent=self._temporary, executor=self._executor
            ) as folder:
                return await self._print_in(folder, html)
        except OSError as error:
            raise PdfNotStarted from error
        finally:
            if folder is not None and folder.exists():
                _log.warning("pdf_folder_left", folder=str(folder))

    async def _print_in(self, folder: Path, html: str) -> bytes:
        try:
            async with asyncio.timeout(self._timeout_s):
                command = await self._in_thread(lambda: self._engine.prepare(html, folder))
                exit_code = await _run(command, folder)
                pdf = await self._in_thread(lambda: _read_pdf(folder / PDF_NAME))
                if exit_code == 0 and pdf is not None:
                    return pdf
                complaint = await self._in_thread(lambda: _complaint(folder / LOG_NAME))
        except TimeoutError as error:  # an OSError, too
            raise PdfTimeout from error
        _log.error("pdf_failed", exit_code=exit_code, complaint=complaint)
        raise PdfFailed(complaint)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


async def _run(command: Sequence[str], folder: Path) -> int:
    nothing = asyncio.subprocess.DEVNULL
    async with child_process(command, folder=folder, stdin=nothing, stdout=nothing) as process:
        record_process(process.pid, folder)
        return await process.wait()


def _read_pdf(path: Path) -> bytes | None:
    """Return the file's bytes if it is a PDF of a bearable size."""
    try:
        with path.open("rb") as file:
            found = file.read(MAX_PDF_BYTES + 1)
    except OSError:
        return None
    return found if found.startswith(b"%PDF-") and len(found) <= MAX_PDF_BYTES else None


def _complaint(path: Path) -> str:
    """Return the last grave message of a command, for the log. A browser chatters much, and harmlessly."""
    try:
        with path.open("rb") as file:
            grave = _FATAL.findall(file.read(_MAX_LOG_BYTES))
    except OSError:
        return ""
    return grave[-1].decode("utf-8", "replace")[:_MAX_COMPLAINT_CHARS] if grave else ""
