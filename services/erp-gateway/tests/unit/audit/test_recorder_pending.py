"""Rows that the store does not take in time: kept in order, written when it takes them, at the stop too."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from store_beside import beside
from structlog.testing import capture_logs

from erp_gateway.audit.recorder import AuditRecorder, open_recorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.store.database import open_database
from erp_gateway.store.places import StorePlace
from erp_gateway.store.statements import Statements
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from servicekit.clock import ManualClock

PATIENCE_S = 20


def keys_in(place: StorePlace) -> list[str]:
    return [key for (key,) in beside(place).ask("SELECT key FROM audit_log ORDER BY id")]


def event(key: str) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.SL_UPDATE, result=AuditResult.OK, actor=Actor(web_user="ana"), key=key
    )


@asynccontextmanager
async def impatient(place: StorePlace) -> AsyncIterator[AuditStore]:
    """Open a store whose writes wait a moment only, as the service's do."""
    async with open_database(place, write_timeout_s=0.05) as database:
        yield AuditStore(database)


@pytest.mark.asyncio
async def test_pending_rows_are_written_in_order_once_the_lock_is_released(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with (
        impatient(store_place) as store,
        open_recorder(store, clock, interval_s=0.05) as recorder,
    ):
        with beside(store_place).hold(), capture_logs() as logs:
            for number in range(3):
                clock.advance(1)
                assert await recorder.record(event(f"late {number}")) is None
            assert keys_in(store_place) == []
        assert [line["key"] for line in logs if line["event"] == "audit_write_failed"] == [
            "late 0",
            "late 1",
            "late 2",
        ]
        assert await recorder.record(event("after")) == 4  # waits behind those owed
        assert recorder.pending == 0
        assert keys_in(store_place) == ["late 0", "late 1", "late 2", "after"]
    times = [at for (at,) in beside(store_place).ask("SELECT at FROM audit_log ORDER BY id")]
    assert times[0] == "2026-03-02T14:05:10.120Z"  # when it happened, not when it was written
    assert times == sorted(times)


@pytest.mark.asyncio
async def test_the_change_of_a_pending_row_is_pending_too(
    store_place: StorePlace, clock: ManualClock
) -> None:
    def rename(connection: Statements) -> bool:
        connection.execute("UPDATE audit_log SET key = 'renamed'")
        return True

    async with (
        impatient(store_place) as store,
        open_recorder(store, clock, interval_s=0.05) as recorder,
    ):
        await recorder.record(event("first"))
        with beside(store_place).hold():
            assert await recorder.record(event("second"), rename) is None
            assert keys_in(store_place) == ["first"]
        await recorder.record(event("third"))
    assert keys_in(store_place) == ["renamed", "second", "third"]


@pytest.mark.asyncio
async def test_pending_rows_are_written_in_the_background(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with (
        impatient(store_place) as store,
        open_recorder(store, clock, interval_s=0.05) as recorder,
    ):
        with beside(store_place).hold():
            assert await recorder.record(event("late")) is None
        async with asyncio.timeout(PATIENCE_S):
            while recorder.pending:  # noqa: ASYNC110 - it is the interval that is waited for
                await asyncio.sleep(0.01)
        assert keys_in(store_place) == ["late"]


@pytest.mark.asyncio
async def test_pending_rows_are_written_at_the_stop(store_place: StorePlace, clock: ManualClock) -> None:
    async with impatient(store_place) as store, open_recorder(store, clock, interval_s=600) as recorder:
        with beside(store_place).hold():
            assert await recorder.record(event("late")) is None
        assert keys_in(store_place) == []
    assert keys_in(store_place) == ["late"]


@pytest.mark.asyncio
async def test_rows_that_the_store_refuses_at_the_stop_are_in_the_log(
    store_place: StorePlace, clock: ManualClock
) -> None:
    with capture_logs() as logs:
        async with impatient(store_place) as store:
            with beside(store_place).hold():
                async with open_recorder(store, clock, interval_s=600) as recorder:
                    assert await recorder.record(event("lost")) is None
    assert [line["key"] for line in logs if line["event"] == "audit_row_lost"] == ["lost"]
    assert keys_in(store_place) == []


class Counts:
    """Counts the records that failed."""

    failed = 0

    def audit_recorded(self, action: AuditAction) -> None:
        """Count none."""

    def audit_failed(self, action: AuditAction) -> None:
        """Count one."""
        self.failed += 1


@pytest.mark.asyncio
async def test_rows_above_the_limit_are_only_logged_and_counted(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with impatient(store_place) as store:
        counts = Counts()
        recorder = AuditRecorder(store, clock, limit_s=0.5, max_pending=2, observer=counts)
        with beside(store_place).hold(), capture_logs() as logs:
            for number in range(4):
                assert await recorder.record(event(str(number))) is None
        assert recorder.pending == 2
        assert counts.failed == 4, "those that are lost are counted, too"
        assert [line["key"] for line in logs if line["event"] == "audit_row_lost"] == ["2", "3"]
        assert await recorder.write_pending() == 2
    assert keys_in(store_place) == ["0", "1"]


@pytest.mark.asyncio
async def test_two_concurrent_writers_of_pending_rows_write_each_row_once(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with impatient(store_place) as store:
        recorder = AuditRecorder(store, clock, limit_s=0.5)
        with beside(store_place).hold():
            for number in range(3):
                assert await recorder.record(event(str(number))) is None
        assert sum(await asyncio.gather(recorder.write_pending(), recorder.write_pending())) == 3
    assert keys_in(store_place) == ["0", "1", "2"]


def denial(number: int) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.PERMISSION_DENIED,
        result=AuditResult.DENIED,
        actor=Actor(web_user=f"user{number}"),
        resource="Orders",
        key=f"denied {number}",
    )


@pytest.mark.asyncio
async def test_rejected_requests_are_dropped_first_and_never_displace_a_change(
    store_place: StorePlace, clock: ManualClock
) -> None:
    def change(connection: Statements) -> bool:
        connection.execute("UPDATE audit_log SET reason = 'changed'")
        return True

    async with impatient(store_place) as store:
        counts = Counts()
        recorder = AuditRecorder(store, clock, limit_s=0.5, max_pending=3, observer=counts)
        with beside(store_place).hold(), capture_logs() as logs:
            for number in range(4):
                await recorder.record(denial(number))
            for name in ("report 0", "report 1"):
                await recorder.record(event(name))
            for name in ("order 0", "order 1", "order 2"):
                await recorder.record(event(name), change)
        lost = [line["key"] for line in logs if line["event"] == "audit_row_lost"]
        assert lost == ["denied 3", "denied 2", "denied 1"]
        assert counts.failed == 9
        assert await recorder.write_pending() == 6
    assert keys_in(store_place) == ["denied 0", "report 0", "report 1", "order 0", "order 1", "order 2"]
    reasons = beside(store_place).ask("SELECT reason FROM audit_log ORDER BY id")
    assert reasons == [("changed",)] * 5 + [(None,)]


@pytest.mark.asyncio
async def test_a_row_that_is_late_for_its_request_is_written_once(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with open_database(store_place) as database:
        async with open_recorder(AuditStore(database), clock) as recorder:
            recorder._limit_s = 0.05
            with beside(store_place).hold():
                assert await recorder.record(event("late")) is None
                assert recorder.pending == 0  # it still waits for its own turn
        assert keys_in(store_place) == ["late"]


@pytest.mark.asyncio
async def test_a_row_that_can_never_be_written_does_not_block_the_others(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with impatient(store_place) as store:
        recorder = AuditRecorder(store, clock, limit_s=0.5)
        endless = AuditEvent(
            action=AuditAction.DB_QUERY,
            result=AuditResult.OK,
            actor=Actor(web_user="ana"),
            key="odd",
            detail=AuditDetail(rows=1),
        )
        object.__setattr__(endless.detail, "rows", {1, 2})  # nothing that JSON could write
        with capture_logs() as logs:
            assert await recorder.record(endless) is None
            with beside(store_place).hold():
                assert await recorder.record(event("good")) is None
            await recorder.write_pending()
        assert [line["key"] for line in logs if line["event"] == "audit_row_lost"] == ["odd"]
    assert keys_in(store_place) == ["good"]
