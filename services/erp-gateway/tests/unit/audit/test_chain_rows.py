"""The chain of audit records: unbroken whoever writes, and after retention has cut its beginning."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from store_beside import beside
from store_insides import SQLITE_ONLY, sqlite_writer

from erp_gateway.audit.chain_check import ChainCheck, check_chain
from erp_gateway.audit.chain_rows import AuditChain, ChainedRecord
from erp_gateway.audit.store import AuditFilter, AuditStore, append_event
from erp_gateway.store.chain_hash import START, ChainPosition
from erp_gateway.store.database import Database, open_database
from erp_gateway.store.places import StorePlace
from erp_gateway.store.statements import Statements
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult

START_TIME = datetime(2026, 3, 1, tzinfo=UTC)
EVENT = AuditEvent(
    action=AuditAction.SL_UPDATE,
    result=AuditResult.OK,
    actor=Actor(web_user="ana"),
    fields=("ItemName", "U_Ñandú"),
    detail=AuditDetail(attempts=1),
)


async def added(store: AuditStore) -> int:
    """Add a record and return its number."""
    end = await store.add(EVENT, START_TIME)
    assert end is not None
    return end.entry_id


@pytest.fixture
def chain(database: Database) -> AuditChain:
    return AuditChain(database)


async def fill(store: AuditStore, count: int) -> None:
    adding = (store.add(EVENT, START_TIME + timedelta(seconds=number)) for number in range(count))
    await asyncio.gather(*adding)


@pytest.mark.asyncio
async def test_every_record_follows_its_predecessor(audit_store: AuditStore, chain: AuditChain) -> None:
    await fill(audit_store, 1001)
    check = await check_chain(chain)
    assert (check.faults, check.records, check.last) == ([], 1001, await chain.head())


@pytest.mark.asyncio
async def test_an_empty_log_has_no_fault(chain: AuditChain) -> None:
    check = await check_chain(chain)
    assert (check.faults, check.records, check.last) == ([], 0, ChainPosition(0, START))


@pytest.mark.asyncio
async def test_two_processes_that_write_at_once_write_one_chain(
    store_place: StorePlace, database: Database, audit_store: AuditStore, chain: AuditChain
) -> None:
    async with open_database(store_place) as other:
        await asyncio.gather(
            *(store.add(EVENT, START_TIME) for _ in range(100) for store in (audit_store, AuditStore(other)))
        )
    check = await check_chain(chain)
    assert (check.faults, check.records) == ([], 200)


@pytest.mark.asyncio
async def test_a_record_whose_transaction_is_undone_leaves_no_gap(
    database: Database, audit_store: AuditStore, chain: AuditChain
) -> None:
    def fail(connection: Statements) -> None:
        append_event(connection, EVENT, START_TIME)
        raise LookupError

    done = await asyncio.gather(
        added(audit_store),
        database.write(fail),
        added(audit_store),
        return_exceptions=True,
    )
    assert (done[0], done[2]) == (1, 2)
    assert isinstance(done[1], LookupError)
    assert (await check_chain(chain)).faults == []


@pytest.mark.asyncio
async def test_a_count_raised_later_keeps_the_chain_valid(audit_store: AuditStore, chain: AuditChain) -> None:
    await fill(audit_store, 3)
    await audit_store.set_detail(2, AuditDetail(attempts=17).as_json())
    assert (await check_chain(chain)).faults == []


@SQLITE_ONLY
@pytest.mark.asyncio
async def test_retention_deletes_the_oldest_records_in_small_transactions(
    database: Database, audit_store: AuditStore, chain: AuditChain
) -> None:
    await fill(audit_store, 1234)
    commits: list[str] = []
    await sqlite_writer(database).run(lambda connection: connection.set_trace_callback(commits.append))

    limit, now = START_TIME + timedelta(seconds=1100), START_TIME + timedelta(days=1)
    deleted, last = await chain.cut_before(limit, now=now)

    assert last is not None
    assert (deleted, last.entry_id) == (1100, 1100)
    assert commits.count("COMMIT") == 4
    assert (await audit_store.find(AuditFilter(), page=1, page_size=1)).total == 134
    assert await chain.cut_before(limit, now=now) == (0, None)
    check = await check_chain(chain)
    assert (check.faults, check.records) == ([], 134)


@pytest.mark.asyncio
async def test_numbers_and_chain_continue_after_all_records_were_deleted(
    audit_store: AuditStore, chain: AuditChain
) -> None:
    await fill(audit_store, 3)
    head = await chain.head()
    now = START_TIME + timedelta(days=9)
    assert await chain.cut_before(START_TIME + timedelta(days=1), now=now) == (3, head)
    assert (await check_chain(chain)).last == head
    assert await added(audit_store) == 4
    check = await check_chain(chain)
    assert (check.faults, check.records) == ([], 1)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("days", "left"),
    [
        pytest.param([0, 1, 2, 9], [4], id="in order"),
        pytest.param([0, 9, 1, 9], [2, 3, 4], id="an old one behind a younger one stays"),
        pytest.param([0, 400, 1, 9], [4], id="a time to come holds nothing back"),
        pytest.param([400, 0], [], id="also where nothing young is left"),
        pytest.param([400], [1], id="but is not old"),
    ],
)
async def test_retention_stops_at_the_first_record_that_is_new_enough(
    audit_store: AuditStore, chain: AuditChain, days: list[int], left: list[int]
) -> None:
    for day in days:
        await audit_store.add(EVENT, START_TIME + timedelta(days=day))
    await chain.cut_before(START_TIME + timedelta(days=5), now=START_TIME + timedelta(days=10))
    assert [entry.id async for entry in audit_store.walk(AuditFilter())] == left
    assert (await check_chain(chain)).faults == []


@pytest.mark.asyncio
async def test_a_cut_during_the_walk_is_not_a_fault(audit_store: AuditStore, chain: AuditChain) -> None:
    await fill(audit_store, 1200)
    check = ChainCheck(head=await chain.head())
    async for step in chain.walk():
        if not isinstance(step, ChainedRecord):
            check.take_cut(step)
            continue
        check.take(step)
        if check.records == 1:
            limit = START_TIME + timedelta(seconds=900)
            await chain.cut_before(limit, now=START_TIME + timedelta(days=1))
    check.finish()
    assert check.faults == []
    assert check.records == 800  # 500 that were read before the cut, 300 that are left


@pytest.mark.asyncio
async def test_a_row_inserted_by_hand_does_not_stop_new_records(
    store_place: StorePlace, audit_store: AuditStore, chain: AuditChain
) -> None:
    await fill(audit_store, 1)
    beside(store_place).ask("INSERT INTO audit_log (id, at, action, result) VALUES (2, '', 'login', 'ok')")
    assert await added(audit_store) == 3
    assert (await check_chain(chain)).faults == [
        "record 2: changed, or not the one that was written after record 1",
        "record 3: changed, or not the one that was written after record 2",
    ]


@pytest.mark.asyncio
async def test_a_removed_head_is_a_fault_and_does_not_stop_new_records(
    store_place: StorePlace, audit_store: AuditStore, chain: AuditChain
) -> None:
    await fill(audit_store, 2)
    beside(store_place).ask("DELETE FROM audit_chain")
    assert (await check_chain(chain)).faults == [
        "the store does not say which record was written last: that was removed"
    ]
    assert await added(audit_store) == 3
    assert (await check_chain(chain)).faults == [
        "record 3: changed, or not the one that was written after record 2"
    ]
