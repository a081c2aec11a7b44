"""Recording never changes the operation that is recorded, and a record is committed before it returns."""

import asyncio
import io
import time
from collections.abc import Sequence
from datetime import datetime
from functools import partial

import attrs
import pytest
import structlog
from store_beside import beside
from structlog.testing import capture_logs
from typing_extensions import override

from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.retention import apply_retention
from erp_gateway.audit.store import AuditedChange, AuditFilter, AuditStore
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.places import StorePlace
from erp_gateway.store.statements import Statements
from erp_gateway.values.audit_event import (
    ADMINISTRATIVE,
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditResult,
)
from servicekit.clock import ManualClock

EVENT = AuditEvent(
    action=AuditAction.SL_UPDATE,
    result=AuditResult.OK,
    actor=Actor(web_user="ana", ip="10.0.0.7", request_id="01J"),
    resource="Items",
    key="A/1",
    fields=("ItemName",),
    detail=AuditDetail(rows=2),
)
EVENT_IN_LOG = {
    "action": "sl_update",
    "result": "ok",
    "user": "ana",
    "ip": "10.0.0.7",
    "request_id": "01J",
    "resource": "Items",
    "key": "A/1",
    "fields": ["ItemName"],
    "detail": {"rows": 2},
}


class Counts:
    """Counts what the metrics would show."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def audit_recorded(self, action: AuditAction) -> None:
        self.seen.append(f"recorded {action.value}")

    def audit_failed(self, action: AuditAction) -> None:
        self.seen.append(f"failed {action.value}")


class HangingStore(AuditStore):
    """A store that never answers."""

    @override
    async def add_all(
        self, events: Sequence[AuditEvent], at: datetime, change: AuditedChange | None = None
    ) -> None:
        await asyncio.Event().wait()


@pytest.mark.asyncio
async def test_a_record_is_committed_when_record_returns(
    recorder: AuditRecorder, store_place: StorePlace
) -> None:
    number = await recorder.record(EVENT)

    rows = beside(store_place).ask("SELECT id, at, web_user, action FROM audit_log")
    assert rows == [(number, "2026-03-02T14:05:09.120Z", "ana", "sl_update")]


@pytest.mark.asyncio
async def test_the_log_line_equals_the_row_with_number_and_hash(
    recorder: AuditRecorder, audit_store: AuditStore
) -> None:
    with capture_logs() as logs:
        await recorder.record(EVENT)
    (entry,) = (await audit_store.find(AuditFilter(), page=1, page_size=50)).entries
    head = f"{entry.id}:{entry.chain}"
    assert logs == [{"event": "AUDIT", "log_level": "info", "head": head, **EVENT_IN_LOG}]


@pytest.mark.asyncio
@pytest.mark.parametrize("action", AuditAction)
async def test_the_head_is_logged_after_each_action_of_an_administrator(
    recorder: AuditRecorder, audit_store: AuditStore, action: AuditAction
) -> None:
    with capture_logs() as logs:
        await recorder.record(attrs.evolve(EVENT, action=action))
        await recorder.commit(attrs.evolve(EVENT, action=action), lambda _: True)
    heads = [f"{entry.id}:{entry.chain}" async for entry in audit_store.walk(AuditFilter())]
    assert [line["head"] for line in logs if line["event"] == "AUDIT"] == heads
    logged = [line["head"] for line in logs if line["event"] == "audit_head"]
    assert logged == (heads if action in ADMINISTRATIVE else [])


@pytest.mark.asyncio
async def test_a_missing_table_only_causes_a_log_line_and_a_count(
    store_place: StorePlace, audit_store: AuditStore, clock: ManualClock
) -> None:
    counts = Counts()
    recorder = AuditRecorder(audit_store, clock, observer=counts)
    await recorder.record(EVENT)
    beside(store_place).ask("ALTER TABLE audit_log RENAME TO taken_away")

    with capture_logs() as logs:
        assert await recorder.record(EVENT) is None

    assert counts.seen == ["recorded sl_update", "failed sl_update"]
    failed = [entry for entry in logs if entry["event"] == "audit_write_failed"]
    assert failed == [
        {"event": "audit_write_failed", "log_level": "error", "error": "StoreUnavailable", **EVENT_IN_LOG}
    ]


@pytest.mark.asyncio
async def test_a_record_waits_no_longer_than_the_limit_for_a_hanging_store(
    database: Database, clock: ManualClock
) -> None:
    counts = Counts()
    recorder = AuditRecorder(HangingStore(database), clock, observer=counts, limit_s=0.05)
    started = time.monotonic()
    with capture_logs() as logs:
        assert await recorder.record(EVENT) is None
    assert time.monotonic() - started < 10
    assert counts.seen == ["failed sl_update"]
    assert [entry["event"] for entry in logs] == ["AUDIT", "audit_write_failed"]


@pytest.mark.asyncio
async def test_a_record_waits_no_longer_than_the_limit_for_a_locked_store(
    audit_store: AuditStore, clock: ManualClock, store_place: StorePlace
) -> None:
    recorder = AuditRecorder(audit_store, clock, limit_s=0.05)
    with beside(store_place).hold():
        assert await recorder.record(EVENT) is None
    assert await AuditRecorder(audit_store, clock).record(EVENT) is not None


@pytest.mark.asyncio
async def test_a_closed_console_changes_nothing(recorder: AuditRecorder) -> None:
    closed = io.StringIO()
    closed.close()
    before = structlog.get_config()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(closed), cache_logger_on_first_use=False)
    try:
        assert await recorder.record(EVENT) is not None
    finally:
        structlog.configure(**before)


def insertion(name: str) -> AuditedChange:
    def insert(connection: Statements) -> bool:
        connection.execute(
            "INSERT INTO menu_permission (web_user, paths, updated_at, updated_by) VALUES (?, '[]', '', '')",
            (name,),
        )
        return True

    return insert


async def found(database: Database) -> tuple[list[str], int]:
    """Return the names that changes wrote, and how many records tell of them."""
    names = [row[0] for row in await database.read("SELECT web_user FROM menu_permission ORDER BY web_user")]
    return names, (await database.read("SELECT COUNT(*) FROM audit_log"))[0][0]


@pytest.mark.asyncio
async def test_a_change_is_committed_with_its_record_or_not_at_all(
    recorder: AuditRecorder, database: Database
) -> None:
    assert await recorder.record(EVENT, insertion("recorded")) is not None
    assert await recorder.commit(EVENT, insertion("committed"))
    assert await found(database) == (["committed", "recorded"], 2)

    with pytest.raises(StoreUnavailable):
        await recorder.commit(EVENT, insertion("committed"))  # the name is taken
    assert await found(database) == (["committed", "recorded"], 2)


@pytest.mark.asyncio
async def test_a_change_that_no_longer_applies_leaves_no_record(
    recorder: AuditRecorder, database: Database
) -> None:
    def nothing_there(_: Statements) -> bool:
        return False

    with capture_logs() as logs:
        assert not await recorder.commit(EVENT, nothing_there)
    assert (await found(database), logs) == (([], 0), [])


@pytest.mark.asyncio
async def test_a_count_can_be_raised_after_the_commit(
    recorder: AuditRecorder, audit_store: AuditStore
) -> None:
    number = await recorder.record(EVENT)
    assert number is not None
    newer = AuditEvent(
        action=EVENT.action, result=EVENT.result, actor=EVENT.actor, detail=AuditDetail(attempts=4)
    )
    await recorder.recount(number, newer)
    (entry,) = (await audit_store.find(AuditFilter(), page=1, page_size=50)).entries
    assert entry.detail == {"attempts": 4}


@pytest.mark.asyncio
async def test_retention_deletes_old_records_and_logs_it_once(
    recorder: AuditRecorder, database: Database, audit_store: AuditStore, clock: ManualClock
) -> None:
    apply = partial(apply_retention, AuditChain(database), clock, keep_days=30)
    await recorder.record(EVENT)
    clock.advance(29 * 86_400)
    await recorder.record(EVENT)
    assert await apply() == 0
    clock.advance(2 * 86_400)

    with capture_logs() as logs:
        assert await apply() == 1
        assert await apply() == 0

    assert [(entry["event"], entry["records"]) for entry in logs] == [("audit_records_deleted", 1)]
    assert (await audit_store.find(AuditFilter(), page=1, page_size=50)).total == 1


@pytest.mark.asyncio
async def test_records_of_one_change_are_written_together_or_not_at_all(
    recorder: AuditRecorder, audit_store: AuditStore
) -> None:
    events = [attrs.evolve(EVENT, key=str(number)) for number in range(3)]
    assert await recorder.record_all(events, insertion("one")) == 3
    assert await recorder.commit_all(events, insertion("two"))
    with pytest.raises(StoreUnavailable):
        await recorder.commit_all(events, insertion("two"))
    assert not await recorder.commit_all(events, lambda _: False)
    found = await audit_store.find(AuditFilter(), page=1, page_size=50)
    assert [entry.key for entry in reversed(found.entries)] == ["0", "1", "2"] * 2
