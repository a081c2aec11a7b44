"""Making a file of rows: a place waited for, rows taken into a spool, the answer opened when it may begin."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from attrs import define, field, frozen

from erp_gateway.files.exports.budget import HeldFile, Spool, SpoolBudget, file_chunks
from erp_gateway.files.exports.errors import ExportQueueFull, ExportQueueTimeout
from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.files.exports.pace import PaceRules
from erp_gateway.files.exports.sinks import CsvSink, TableSink, WorkbookSink
from erp_gateway.files.exports.workbook import FOLDER_PREFIX, make_workbook
from erp_gateway.settings.modules import Exports
from erp_gateway.web.disconnects import Check, Disconnected, cancel_on_disconnect, end_tasks, while_allowed
from erpclient import Permit, QueueRules
from servicekit.clock import Clock
from servicekit.erp.observed_queue import ObservedQueue, QueueObserver
from servicekit.errors import ShuttingDown, as_service_error
from servicekit.tasks import finish
from servicekit.working_folders import remove_left_folders

MAX_WAITING_PER_USER: Final = 32
"""Most exports of one person that wait; for all together eight times as many."""

WAIT_S: Final = 60.0
"""Longest wait for a place."""

FAULTS_WAITED_FOR_S: Final = 0.3
"""How long a CSV's first byte is held back: what fails so early is answered as what it is."""

T = TypeVar("T")

Produce: TypeAlias = Callable[[TableSink], Coroutine[Any, Any, None]]
"""Puts all rows into the sink, in whichever thread; raises what made that impossible."""


@frozen(kw_only=True)
class ExportJob:
    """What is to become a file.

    Attributes:
        kind: `query`, `list` or `report`, for the metrics.
        user: who asks; users take turns.
        title: names the file and stands on an XLSX's last sheet.
        facts: what else stands there: names and values.
        asked: the kind of file.
        gone: returns when the client has gone away.
        check: raises once the person may not have it any more; it then ends with that.
        ended: is told once how many rows it has and, when it failed, the code of the failure; before the last
            byte is sent.
    """

    kind: str
    user: str
    title: str
    facts: tuple[tuple[str, object], ...] = ()
    asked: ExportOptions
    gone: Disconnected
    check: Check
    ended: Callable[[int, str | None], Coroutine[Any, Any, None]]


@define(eq=False, repr=False)
class OpenExport:
    """A file that is ready to be sent, or as far as it is. Use it as an async context manager.

    Attributes:
        name: of the file, without its extension.
        asked: its kind.
        pace: what its client must take.
        check: raises once the person may not have it any more.
        size: in bytes; None while it is not known.
    """

    _stack: AsyncExitStack
    asked: ExportOptions
    name: str
    pace: PaceRules = field(kw_only=True)
    check: Check = field(kw_only=True)
    chunks: Callable[[], AsyncIterator[bytes]] = field(kw_only=True)
    size: int | None = field(kw_only=True)

    async def aclose(self) -> None:
        """Let files, and the place of what is still being made, go."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)


class Exporter:
    """Makes files, a few at a time; who reads them slowly keeps nobody from a place.

    Attributes:
        max_rows: most rows of one.
        budget: the room for all files.
        pace: what the client of a download must take.

    Args:
        settings: how many, how large, and how slowly they may be read.
        clock: the day in a file's name.
        timezone: whose day.
        observer: is told of every export.
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
        """Send away all who wait for a place: the service stops."""
        self._queue.close()

    async def open(self, job: ExportJob, produce: Produce) -> OpenExport:
        """Wait for a place and begin. An XLSX is finished when this returns, a CSV has its first rows.

        Args:
            job: what it is.
            produce: brings the rows; cancelled when nobody wants them any more.

        Raises:
            ServiceError: no place, no room, or what `produce` raised, as far as it is known before the first
                byte.
            ClientGone: the client left.
        """
        return await cancel_on_disconnect(self._open(job, produce), job.gone, unwanted=OpenExport.aclose)

    async def _open(self, job: ExportJob, produce: Produce) -> OpenExport:
        moment = self._clock.now().astimezone(self._timezone)
        name = f"{job.title} {moment.date().isoformat()}"
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._queue.observed(f"{job.kind} {job.asked.format.value}"))
            permit = await self._wait_for_turn(job)
            stack.callback(permit.release)
            budget = self.budget.of(job.user)
            spool = Spool(budget)
            stack.callback(spool.close)
            if job.asked.format is ExportFormat.CSV:
                making = asyncio.create_task(_make_csv(job, produce, spool))
                making.add_done_callback(lambda _: permit.release())  # it may be read for long
                stack.push_async_callback(lambda: finish(end_tasks(making)))
                await _first_rows(making, spool)
                return OpenExport(
                    stack.pop_all(),
                    job.asked,
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
                job.asked,
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
            await job.ended(0, as_service_error(error).code)
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
            spool.close()  # its room is free before the file is sent

    return await _recorded(job, sink, make)


async def _recorded(job: ExportJob, sink: TableSink, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Make it, and tell how it ended before anybody sees the end."""
    try:
        made = await while_allowed(make(), job.check)
    except Exception as error:
        await job.ended(sink.rows, as_service_error(error).code)
        raise
    except asyncio.CancelledError:
        await finish(job.ended(sink.rows, "interrupted"))
        raise
    await job.ended(sink.rows, None)
    return made


async def _make_csv(job: ExportJob, produce: Produce, spool: Spool) -> None:
    sink = CsvSink(spool, job.asked.separator)
    try:
        await _recorded(job, sink, lambda: produce(sink))
    finally:
        spool.end()


async def _first_rows(making: "asyncio.Task[None]", spool: Spool) -> None:
    """Return when there is something to send; raise what failed until then, or a little later."""
    news = asyncio.create_task(spool.wait_for_news())
    try:
        await asyncio.wait({making, news}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({making}, timeout=FAULTS_WAITED_FOR_S)
    finally:
        await finish(end_tasks(news))
    if making.done():
        making.result()


async def _csv_chunks(spool: Spool, making: "asyncio.Task[None]") -> AsyncIterator[bytes]:
    """Yield the file as it grows; raise in the end what it failed with, so that it never looks whole."""
    async for chunk in spool.chunks():
        yield chunk
    await making


@asynccontextmanager
async def open_exports(
    settings: Exports, clock: Clock, timezone: ZoneInfo, observer: QueueObserver | None = None
) -> AsyncIterator[Exporter]:
    """Open the module. What a killed service has left of its files is removed before.

    Args:
        settings: how many, and how large.
        clock: the day in a file's name.
        timezone: whose day.
        observer: is told of every export.
    """
    await asyncio.to_thread(remove_left_folders, Path(tempfile.gettempdir()), FOLDER_PREFIX)
    exporter = Exporter(settings, clock, timezone, observer)
    try:
        yield exporter
    finally:
        exporter.drain()
