"""Queue of print jobs. Each job has a place, a folder and a process, and removes all of them."""

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Final, TypeVar

import structlog

from erp_gateway.reports.html.errors import (
    PdfFailed,
    PdfNotStarted,
    PdfQueueFull,
    PdfQueueTimeout,
    PdfTimeout,
)
from erp_gateway.reports.html.printing.engine import PDF_NAME, PdfEngine
from erp_gateway.reports.html.printing.left_jobs import FOLDER_PREFIX, record_process
from erpclient import QueueRules
from servicekit.child_process import LOG_NAME, child_process
from servicekit.erp.observed_queue import ObservedQueue, QueueObserver
from servicekit.errors import ShuttingDown
from servicekit.working_folders import working_folder

_log = structlog.get_logger(__name__)


MAX_PDF_BYTES: Final = 64 * 1024 * 1024
"""Largest PDF that is handed out."""

MAX_WAITING: Final = 32
MAX_WAITING_PER_USER: Final = 16
"""Limits of waiting documents, in total and of one user."""

_QUEUE: Final = "pdf"
_MAX_LOG_BYTES: Final = 64 * 1024
_MAX_COMPLAINT_CHARS: Final = 300
_FATAL: Final = re.compile(rb"[^\n]*(?:FATAL|Running as root|No usable sandbox|Error:)[^\n]*")

T = TypeVar("T")


class PdfPrinter:
    """Prints each document in a separate process; users take turns.

    Args:
        engine: the print engine.
        places: maximum number of concurrent jobs.
        timeout_s: longest wait for a turn, and longest job.
        executor: threads reserved for the work on files.
        temporary: parent folder of the jobs' folders; the system's temporary folder if omitted.
        observer: receives every job.
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
            user: lane of the queue.

        Raises:
            BrowserUnavailable: no print engine is available.
            PdfQueueFull: too many jobs wait, in total or of this user.
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
    try:
        with path.open("rb") as file:
            found = file.read(MAX_PDF_BYTES + 1)
    except OSError:
        return None
    return found if found.startswith(b"%PDF-") and len(found) <= MAX_PDF_BYTES else None


def _complaint(path: Path) -> str:
    try:
        with path.open("rb") as file:
            grave = _FATAL.findall(file.read(_MAX_LOG_BYTES))
    except OSError:
        return ""
    return grave[-1].decode("utf-8", "replace")[:_MAX_COMPLAINT_CHARS] if grave else ""
