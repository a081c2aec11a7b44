"""Rows that the store does not take in time: kept in order, written when it takes them, at the stop too."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from erp_gateway.audit.recorder import AuditRecorder, open_recorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.storage.database import open_database
from servicekit.clock import ManualClock

PATIENCE_S = 20


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file's lock for writing, as another process would."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def keys_in(path: Path) -> list[str]:
    other = sqlite3.connect(path)
    try:
        return [key for (key,) in other.execute("SELECT key FROM audit_log ORDER BY id")]
    finally:
        other.close()


def event(key: str) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.SL_UPDATE, result=AuditResult.OK, actor=Actor(web_user="ana"), key=key
    )


@asynccontextmanager
async def impatient_store(path: Path) -> AsyncIterator[AuditStore]:
    """Open a store whose writes wait a moment only, as the service's do."""
    async with open_database(path, write_timeout_s=0.05) as database:
        yield AuditStore(database)


@pytest.mark.asyncio
async def test_rows_of_a_locked_store_are_written_in_order_when_it_takes_them_again(
    store_path: Path, clock: ManualClock
) -> None:
    async with impatient_store(store_path) as store, open_recorder(store, clock, interval_s=0.05) as recorder:
        with locked(store_path), capture_logs() as logs:
            for number in range(3):
                clock.advance(1)
                assert await recorder.record(event(f"late {number}")) is None
        assert [line["key"] for line in logs if line["event"] == "audit_write_failed"] == [
            "late 0",
            "late 1",
            "late 2",
        ]
        assert keys_in(store_path) == []
        assert await recorder.record(event("after")) == 4  # waits behind those owed
        assert recorder.owed == 0
        assert keys_in(store_path) == ["late 0", "late 1", "late 2", "after"]
    other = sqlite3.connect(store_path)
    times = [at for (at,) in other.execute("SELECT at FROM audit_log ORDER BY id")]
    other.close()
    assert times[0] == "2026-03-02T14:05:10.120Z"  # when it happened, not when it was written
    assert times == sorted(times)


@pytest.mark.asyncio
async def test_a_change_that_goes_with_a_row_is_owed_with_it(store_path: Path, clock: ManualClock) -> None:
    def rename(connection: sqlite3.Connection) -> bool:
        connection.execute("UPDATE audit_log SET key = 'renamed'")
        return True

    async with impatient_store(store_path) as store, open_recorder(store, clock, interval_s=0.05) as recorder:
        await recorder.record(event("first"))
        with locked(store_path):
            assert await recorder.record(event("second"), rename) is None
        assert keys_in(store_path) == ["first"]
        await recorder.record(event("third"))
    assert keys_in(store_path) == ["renamed", "second", "third"]


@pytest.mark.asyncio
async def test_rows_owed_are_written_with_nobody_asking(store_path: Path, clock: ManualClock) -> None:
    async with impatient_store(store_path) as store, open_recorder(store, clock, interval_s=0.05) as recorder:
        with locked(store_path):
            assert await recorder.record(event("late")) is None
        async with asyncio.timeout(PATIENCE_S):
            while recorder.owed:  # noqa: ASYNC110 - it is the interval that is waited for
                await asyncio.sleep(0.01)
        assert keys_in(store_path) == ["late"]


@pytest.mark.asyncio
async def test_rows_owed_are_written_at_the_stop(store_path: Path, clock: ManualClock) -> None:
    async with impatient_store(store_path) as store, open_recorder(store, clock, interval_s=600) as recorder:
        with locked(store_path):
            assert await recorder.record(event("late")) is None
        assert keys_in(store_path) == []
    assert keys_in(store_path) == ["late"]


@pytest.mark.asyncio
async def test_what_a_store_refuses_at_the_stop_too_is_in_the_log(
    store_path: Path, clock: ManualClock
) -> None:
    with capture_logs() as logs:
        async with impatient_store(store_path) as store:
            with locked(store_path):
                async with open_recorder(store, clock, interval_s=600) as recorder:
                    assert await recorder.record(event("lost")) is None
    assert [line["key"] for line in logs if line["event"] == "audit_row_lost"] == ["lost"]
    assert keys_in(store_path) == []


@pytest.mark.asyncio
async def test_more_rows_than_are_kept_are_in_the_log_only(store_path: Path, clock: ManualClock) -> None:
    async with impatient_store(store_path) as store:
        recorder = AuditRecorder(store, clock, limit_s=0.5, max_owed=2)
        with locked(store_path), capture_logs() as logs:
            for number in range(4):
                assert await recorder.record(event(str(number))) is None
        assert recorder.owed == 2
        assert [line["key"] for line in logs if line["event"] == "audit_row_lost"] == ["2", "3"]
        assert await recorder.write_owed() == 2
    assert keys_in(store_path) == ["0", "1"]


@pytest.mark.asyncio
async def test_a_row_that_comes_too_late_for_its_request_is_written_once(
    store_path: Path, clock: ManualClock
) -> None:
    async with open_database(store_path) as database:
        async with open_recorder(AuditStore(database), clock) as recorder:
            recorder._limit_s = 0.05
            with locked(store_path):
                assert await recorder.record(event("late")) is None
                assert recorder.owed == 0  # it still waits for its own turn
        assert keys_in(store_path) == ["late"]


@pytest.mark.asyncio
async def test_a_row_that_can_never_be_written_does_not_keep_the_others(
    store_path: Path, clock: ManualClock
) -> None:
    async with impatient_store(store_path) as store:
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
            with locked(store_path):
                assert await recorder.record(event("good")) is None
            await recorder.write_owed()
        assert [line["key"] for line in logs if line["event"] == "audit_row_lost"] == ["odd"]
    assert keys_in(store_path) == ["good"]
