"""Places of exports: how many one person has, and when a place goes to the next."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from zoneinfo import ZoneInfo

import pytest
from attrs import evolve

from erp_gateway.files.exports.errors import ExportNoRoom
from erp_gateway.files.exports.export_job import ExportJob, Produce
from erp_gateway.files.exports.exporter import Exporter, open_exports
from erp_gateway.files.exports.open_export import OpenExport
from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.settings.exports import Exports
from erp_gateway.values.errors import PermissionDenied
from servicekit.clock import ManualClock
from servicekit.config import load

pytestmark = pytest.mark.asyncio

AT_ONCE_S = 20
"""Longer than anything here takes, and shorter than an export waits for a place."""


async def nobody_asks(_rows: int, _reason: str | None) -> None:
    """Take the end of an export."""


def job(user: str, kind: ExportFormat = ExportFormat.CSV) -> ExportJob:
    return ExportJob(
        kind="query",
        user=user,
        title="Filas",
        options=ExportOptions(format=kind),
        gone=asyncio.Event().wait,
        check=lambda: None,
        on_end=nobody_asks,
    )


async def few(sink: TableSink) -> None:
    sink.begin(["N"])
    sink.add([[1]])


def until(event: asyncio.Event) -> Produce:
    """Return what brings a row, and the rest when the event is set."""

    async def produce(sink: TableSink) -> None:
        await few(sink)
        await event.wait()

    return produce


@asynccontextmanager
async def exporting(clock: ManualClock, **settings: str) -> AsyncIterator[Exporter]:
    read = load(Exports, {"CONFIG_FILE": "/dev/null", **settings}, own_prefixes=())
    async with open_exports(read, clock, ZoneInfo("UTC")) as exporter:
        yield exporter


async def opened(exporter: Exporter, wanted: ExportJob, produce: Produce = few) -> OpenExport:
    async with asyncio.timeout(AT_ONCE_S):
        return await exporter.open(wanted, produce)


@pytest.mark.parametrize(("places", "share"), [("1", 1), ("2", 1), ("5", 2)])
async def test_one_user_holds_at_most_half_of_the_export_slots(
    clock: ManualClock, places: str, share: int
) -> None:
    async with exporting(clock, EXPORT_MAX_CONCURRENCY=places) as exporter:
        never = until(asyncio.Event())
        held = [await opened(exporter, job("ana"), never) for _ in range(share)]
        third = asyncio.ensure_future(exporter.open(job("ana"), never))
        others = [await opened(exporter, job("luis"), never) for _ in range(min(share, int(places) - share))]
        assert not third.done()
        third.cancel()
        await asyncio.gather(third, return_exceptions=True)
        for each in (*held, *others):
            await each.aclose()


@pytest.mark.parametrize("kind", list(ExportFormat))
async def test_a_slot_is_free_once_the_file_is_finished_even_if_unread(
    clock: ManualClock, kind: ExportFormat
) -> None:
    async with exporting(clock, EXPORT_MAX_CONCURRENCY="1") as exporter:
        finish = asyncio.Event()
        unread = [await opened(exporter, job("ana", kind)) for _ in range(3)]
        making = await opened(exporter, job("ana"), until(finish))
        waiting = asyncio.ensure_future(exporter.open(job("luis"), few))
        await asyncio.sleep(0.05)
        assert not waiting.done(), "it is still being made"
        finish.set()
        async with asyncio.timeout(AT_ONCE_S):
            other = await waiting
        for each in (*unread, making):
            assert b"".join([chunk async for chunk in each.chunks()])
        for each in (*unread, making, other):
            await each.aclose()
        assert exporter.budget.held == 0


async def test_one_users_files_leave_spool_room_for_others(clock: ManualClock) -> None:
    async def large(sink: TableSink) -> None:
        sink.begin(["N"])
        sink.add([["x" * 400_000]])

    async with exporting(clock, EXPORT_SPOOL_MB="1") as exporter:
        unread = await opened(exporter, job("ana"), large)
        with pytest.raises(ExportNoRoom) as refused:
            await opened(exporter, job("ana"), large)
        assert "su parte" in refused.value.detail
        other = await opened(exporter, job("luis"), large)
        with pytest.raises(ExportNoRoom) as refused:
            await opened(exporter, job("eva"), large)
        assert "su parte" not in refused.value.detail
        await unread.aclose()
        again = await opened(exporter, job("ana"), large)
        for each in (other, again):
            await each.aclose()
        assert exporter.budget.held == 0


async def taken(exporter: Exporter, wanted: ExportJob, produce: Produce) -> bytes:
    async with asyncio.timeout(AT_ONCE_S), await exporter.open(wanted, produce) as export:
        return b"".join([chunk async for chunk in export.chunks()])


@pytest.mark.parametrize("kind", list(ExportFormat))
async def test_an_export_ends_once_its_user_loses_the_right(clock: ManualClock, kind: ExportFormat) -> None:
    result: list[tuple[int, str | None]] = []
    begun = asyncio.Event()

    async def ended(rows: int, reason: str | None) -> None:
        result.append((rows, reason))

    def check() -> None:
        if begun.is_set():
            raise PermissionDenied("Orders")

    async def never_ends(sink: TableSink) -> None:
        await few(sink)
        begun.set()
        await asyncio.Event().wait()

    wanted = evolve(job("ana", kind), check=check, on_end=ended)
    async with exporting(clock) as exporter:
        with pytest.raises(PermissionDenied):
            await taken(exporter, wanted, never_ends)
        assert result == [(1, "permission_denied")]
        assert exporter.budget.held == 0
