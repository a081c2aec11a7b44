"""What a process that served before has left open, where it may not have ended."""

import asyncio
from datetime import timedelta

import pytest
from attrs import evolve
from structlog.testing import capture_logs
from uncounted_writes import ledger_on

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import Actor
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.errors import IdempotencyKeyReused
from erp_gateway.writes.items import WriteFilter
from erp_gateway.writes.ledger import Ledger
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.secret import StoreSecret
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import Trace
from erp_gateway.writes.write import Write, WriteKind, WriteSet
from servicekit.clock import ManualClock

SPARE = timedelta(seconds=60)


def spare(_: int) -> timedelta:
    """Return how long writes may take in an earlier process."""
    return SPARE


def write(body: bytes = b"{}", key: str | None = None) -> Write:
    return Write(
        kind=WriteKind.CREATE, actor=Actor(web_user="ana"), resource="Orders", body=body, idempotency_key=key
    )


async def leave_open(ledger: Ledger) -> None:
    """Begin a write whose process is gone before it ends."""
    entry = await ledger.open(write())
    assert isinstance(entry, Entry)
    await entry.wait_for_row()


async def states(database: Database) -> list[str]:
    writes, _ = await LedgerStore(database).find_page(WriteFilter(), page=1, page_size=50)
    return sorted(record.state.value for record in writes)


@pytest.mark.asyncio
async def test_an_open_write_is_closed_only_after_its_spare_time(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    await leave_open(await ledger_on(LedgerStore(database), recorder, clock))
    clock.advance(30)
    await leave_open(await ledger_on(LedgerStore(database), recorder, clock))
    later = await ledger_on(LedgerStore(database), recorder, clock)
    assert await later.close_open(spare) == 2
    await leave_open(later)  # its own is never taken for one that was left
    clock.advance(30)
    assert await later.close_open(spare) == 1
    assert await states(database) == ["open", "open", "unknown"]
    clock.advance(90)
    assert await later.close_open(spare) == 0
    assert await states(database) == ["open", "unknown", "unknown"]


@pytest.mark.asyncio
async def test_without_another_process_open_writes_are_closed_at_once(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    await leave_open(await ledger_on(LedgerStore(database), recorder, clock))
    set_back = ManualClock(clock.now() - timedelta(hours=2))
    later = await ledger_on(LedgerStore(database), recorder, set_back)
    with capture_logs() as logs:
        assert await later.close_open() == 0
    assert {"event": "writes_left_open", "log_level": "warning", "writes": 1} in logs
    assert await states(database) == ["unknown"]


@pytest.mark.asyncio
async def test_resources_with_open_writes_are_unsure_for_the_next_process(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    earlier = await ledger_on(LedgerStore(database), recorder, clock)
    assert await earlier.find_unsure(600) == frozenset()
    await leave_open(earlier)
    later = await ledger_on(LedgerStore(database), recorder, clock)
    assert await later.close_open(spare) == 1
    assert await later.find_unsure(600) == {"Orders"}
    clock.advance(90)
    assert await later.close_open(spare) == 0
    clock.advance(590)
    assert await later.find_unsure(600) == {"Orders"}
    clock.advance(11)
    assert await later.find_unsure(600) == frozenset()


@pytest.mark.asyncio
async def test_a_write_finished_meanwhile_is_not_made_unknown(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    earlier = await ledger_on(LedgerStore(database), recorder, clock)
    later = await ledger_on(LedgerStore(database), recorder, clock)

    entry = await earlier.open(write())
    assert isinstance(entry, Entry)
    async with entry:
        await entry.wait_for_row()
        assert await later.close_open(spare) == 1
        entry.done(WriteAnswer(status=201), key="7")
    clock.advance(90)
    assert await later.close_open(spare) == 0
    assert await states(database) == ["done"]


@pytest.mark.asyncio
async def test_a_simultaneous_different_request_with_the_same_key_is_refused(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    ledger = await ledger_on(LedgerStore(database), recorder, clock)
    sent: list[bytes] = []

    async def ask(body: bytes) -> WriteAnswer:
        entry = await ledger.open(write(body, "k"))
        assert isinstance(entry, Entry)
        async with entry:
            await entry.wait_for_row()
            sent.append(entry.body)
            entry.done(WriteAnswer(status=201, body=body))
        return entry.answer()

    first, second = await asyncio.gather(ask(b'{"a": 1}'), ask(b'{"a": 2}'), return_exceptions=True)
    assert isinstance(first, WriteAnswer)
    assert first.body == b'{"a": 1}'
    assert isinstance(second, IdempotencyKeyReused)
    assert sent == [b'{"a": 1}']


@pytest.mark.asyncio
async def test_key_fingerprints_do_not_change_between_versions(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    """Keys outlive an upgrade, so their fingerprints must not change."""
    ledger = await ledger_on(LedgerStore(database), recorder, clock, secret=StoreSecret(b"s" * 32))
    for user, key in (("ana", "A/1"), ("eva", None)):
        entry = await ledger.open(
            Write(
                kind=WriteKind.UPDATE,
                actor=Actor(web_user=user),
                resource="Items",
                key=key,
                body=b"{}",
                idempotency_key="k",
            )
        )
        assert isinstance(entry, Entry)
        async with entry:
            entry.done(WriteAnswer(status=204))
    rows = await database.read(
        "SELECT key_mac, request_mac, body_mac FROM ledger_key "
        "JOIN ledger_write ON id = write_id ORDER BY web_user",
        [],
    )
    assert [[bytes(mac).hex()[:12] for mac in row] for row in rows] == [
        ["b75995e76653", "101e8b020b91", "57f164826130"],
        ["e258c5342d3f", "0c652f540625", "57f164826130"],
    ]


@pytest.mark.asyncio
async def test_a_change_set_of_an_earlier_process_may_take_longer_and_is_closed_as_a_whole(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    store = LedgerStore(database)
    earlier = await ledger_on(store, recorder, clock)
    writes = (write(), write(b'{"a": 1}'), write())
    entry = await earlier.open(WriteSet(writes=writes, body=b"{}"))
    assert isinstance(entry, Entry)
    await entry.wait_for_row()
    await leave_open(earlier)
    later = await ledger_on(store, recorder, clock)

    def longer(count: int) -> timedelta:
        return count * SPARE

    assert await later.close_open(longer) == 2
    clock.advance(60)
    assert await later.close_open(longer) == 1
    assert sorted(await states(database)) == ["open", "open", "open", "unknown"]
    clock.advance(120)
    assert await later.close_open(longer) == 0
    assert set(await states(database)) == {"unknown"}
    assert [item.position for item in await store.find_group(entry.number)] == [0, 1, 2]


@pytest.mark.asyncio
async def test_each_create_of_a_change_set_carries_its_own_number(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    trace = Trace("U_W", (1.0,))
    ledger = await ledger_on(LedgerStore(database), recorder, clock, trace=trace)
    traced = evolve(write(b'{"a": 1}'), traceable=True)
    entry = await ledger.open(WriteSet(writes=(write(), traced, traced), body=b"{}"))
    assert isinstance(entry, Entry)
    async with entry:
        await entry.wait_for_row()
        items = await LedgerStore(database).find_group(entry.number)
        entry.all_done(WriteAnswer(status=200), (None, "7", "8"))
    assert entry.bodies[0] == write().body
    assert entry.bodies[1:] == tuple(b'{"U_W":"%b","a": 1}' % item.id.encode() for item in items[1:])
    done = await LedgerStore(database).find_group(entry.number)
    assert [item.key for item in done] == [None, "7", "8"]
