"""The exporter: waits for a place, spools the rows, and opens the file for the client."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.errors import ExportQueueFull, ExportQueueTimeout
from erp_gateway.files.exports.export_job import ExportJob, Produce
from erp_gateway.files.exports.open_export import OpenExport
from erp_gateway.files.exports.options import ExportFormat
from erp_gateway.files.exports.pace import PaceRules
from erp_gateway.files.exports.sinks import CsvSink, TableSink, WorkbookSink
from erp_gateway.files.exports.spool import Spool
from erp_gateway.files.exports.temporary_files import HeldFile, file_chunks
from erp_gateway.files.exports.workbook import FOLDER_PREFIX, make_workbook
from erp_gateway.settings.exports import Exports
from erp_gateway.web.disconnects import cancel_on_disconnect, end_tasks, while_allowed
from erpclient import Permit, QueueRules
from servicekit.clock import Clock
from servicekit.erp.observed_queue import ObservedQueue, QueueObserver
from servicekit.errors import ShuttingDown, as_service_error
from servicekit.tasks import finish
from servicekit.working_folders import remove_left_folders

MAX_WAITING_PER_USER: Final = 32
"""Limit of waiting exports of one user; the total limit is eight times as many."""

WAIT_S: Final = 60.0
"""Longest wait for a place."""

EARLY_FAILURE_S: Final = 0.3
"""Seconds for which a CSV's first byte is held back, so that an early failure gets its own status."""

T = TypeVar("T")


class Exporter:
    """Creates files, a few at a time. A client that reads slowly blocks no other export.

    Attributes:
        max_rows: limit of rows.
        budget: disk budget of all files.
        pace: minimum speed of the client of a download.

    Args:
        settings: numbers, sizes and speeds.
        clock: the day in a file's name.
        timezone: the zone of that day.
        observer: observes every export.
    """

    def __init__(
        self, settings: Exports, clock: Clock, timezone: ZoneInfo, observer: QueueObserver | None = None
    ) -> None:
        self.max_rows = settings.max_rows
        self.budget = SpoolBudget(settings.spool_mb * 1024 * 1024)
        self.pace = PaceRules(min_bytes_s=settings.min_rate_kb * 1000, max_s=settings.max_s)
        self._clock = clock
        self._timezone = timezone
        rules = QueueRules(
            capacity=settings.max_concurrency,
            capacity_per_user=settings.max_concurrency // 2,
            max_waiting=8 * MAX_WAITING_PER_USER,
            max_waiting_per_user=MAX_WAITING_PER_USER,
            wait_s=WAIT_S,
            full=lambda _: ExportQueueFull(),
            too_late=ExportQueueTimeout,
            closed=ShuttingDown,
        )
        self._queue = ObservedQueue(rules, observer)

    def drain(self) -> None:
        """Refuse all that wait for a place: the service stops."""
        self._queue.close()

    async def open(self, job: ExportJob, produce: Produce) -> OpenExport:
        """Wait for a place and start. On return, an XLSX is finished and a CSV has its first rows.

        Args:
            job: the export.
            produce: writes the rows; cancelled when the client disconnects.

        Raises:
            ServiceError: no place, no disk space, or an error of `produce` before the first byte.
            ClientGone: the client disconnected.
        """
        return await cancel_on_disconnect(self._open(job, produce), job.gone, unwanted=OpenExport.aclose)

    async def _open(self, job: ExportJob, produce: Produce) -> OpenExport:
        moment = self._clock.now().astimezone(self._timezone)
        name = f"{job.title} {moment.date().isoformat()}"
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._queue.observed(f"{job.kind} {job.options.format.value}"))
            permit = await self._wait_for_turn(job)
            stack.callback(permit.release)
            budget = self.budget.of(job.user)
            spool = Spool(budget)
            stack.callback(spool.close)
            if job.options.format is ExportFormat.CSV:
                making = asyncio.create_task(_make_csv(job, produce, spool))
                # Release the place when the file is complete: the client may take long to read it.
                making.add_done_callback(lambda _: permit.release())
                stack.push_async_callback(lambda: finish(end_tasks(making)))
                await _first_rows(making, spool)
                return OpenExport(
                    stack.pop_all(),
                    job.options,
                    name,
                    pace=self.pace,
                    check=job.check,
                    chunks=lambda: _csv_chunks(spool, making),
                    size=None,
                )
            facts = (
                ("Título", job.title),
                ("Generado", moment.replace(tzinfo=None, microsecond=0)),
                ("Por", job.user),
                *job.facts,
            )
            file = await _make_workbook(job, produce, spool, budget, facts)
            stack.callback(file.close)
            permit.release()
            return OpenExport(
                stack.pop_all(),
                job.options,
                name,
                pace=self.pace,
                check=job.check,
                chunks=lambda: file_chunks(file.fileno()),
                size=os.fstat(file.fileno()).st_size,
            )

    async def _wait_for_turn(self, job: ExportJob) -> Permit:
        try:
            return await self._queue.take(job.user)
        except Exception as error:
            await job.on_end(0, as_service_error(error).code)
            raise


async def _make_workbook(
    job: ExportJob,
    produce: Produce,
    spool: Spool,
    budget: SpoolBudget,
    facts: tuple[tuple[str, object], ...],
) -> HeldFile:
    sink = WorkbookSink(spool)

    async def make() -> HeldFile:
        await produce(sink)
        sink.finish((*facts, *sink.counts))
        try:
            return await make_workbook(spool.rewound(), budget)
        finally:
            spool.close()  # the input of the XLSX is no longer needed

    return await _recorded(job, sink, make)


async def _recorded(job: ExportJob, sink: TableSink, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Make the file, and report its end before the client sees it."""
    try:
        result = await while_allowed(make(), job.check)
    except Exception as error:
        await job.on_end(sink.rows, as_service_error(error).code)
        raise
    except asyncio.CancelledError:
        await finish(job.on_end(sink.rows, "interrupted"))
        raise
    await job.on_end(sink.rows, None)
    return result


async def _make_csv(job: ExportJob, produce: Produce, spool: Spool) -> None:
    sink = CsvSink(spool, job.options.separator)
    try:
        await _recorded(job, sink, lambda: produce(sink))
    finally:
        spool.end()


async def _first_rows(making: "asyncio.Task[None]", spool: Spool) -> None:
    """Return when there are bytes to send. Raise an error that happens before, or shortly after."""
    new_data = asyncio.create_task(spool.wait_for_data())
    try:
        await asyncio.wait({making, new_data}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({making}, timeout=EARLY_FAILURE_S)
    finally:
        await finish(end_tasks(new_data))
    if making.done():
        making.result()


async def _csv_chunks(spool: Spool, making: "asyncio.Task[None]") -> AsyncIterator[bytes]:
    """Yield the file as it grows. A failed file ends with its error, so that it never looks complete."""
    async for chunk in spool.chunks():
        yield chunk
    await making


@asynccontextmanager
async def open_exports(
    settings: Exports, clock: Clock, timezone: ZoneInfo, observer: QueueObserver | None = None
) -> AsyncIterator[Exporter]:
    """Open the exporter, after removing files of killed services.

    Args:
        settings: numbers, sizes and speeds.
        clock: the day in a file's name.
        timezone: the zone of that day.
        observer: observes every export.
    """
    await asyncio.to_thread(remove_left_folders, Path(tempfile.gettempdir()), FOLDER_PREFIX)
    exporter = Exporter(settings, clock, timezone, observer)
    try:
        yield exporter
    finally:
        exporter.drain()
