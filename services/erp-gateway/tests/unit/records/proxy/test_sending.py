"""The cache of reference data while a write is with the ERP, and the refusal after a failed call."""

import asyncio

import pytest
from uncounted_writes import ledger_on

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.records.proxy.cache.catalogue import CatalogueCache
from erp_gateway.records.proxy.sending import CALL_FAILURES, Sending, refusal_after
from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import Actor
from erp_gateway.web.error_map import CallKind
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.outcome import WriteAnswer
from erp_gateway.writes.rules import WriteState, state_after
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.write import Write, WriteKind
from erpclient import ErpList, ErpRefused, QueueFull
from servicekit.clock import ManualClock

PAGE = ErpList(b"[1]", 1)
RESOURCE = "Warehouses"


def is_cached(cache: CatalogueCache) -> bool:
    return cache.fresh(RESOURCE, "?") is not None


def fill(cache: CatalogueCache) -> bool:
    """Cache an answer of the ERP; return whether the cache keeps it."""
    cache.keep(cache.read_sent(RESOURCE), "?", PAGE)
    return is_cached(cache)


@pytest.fixture
def cache(clock: ManualClock) -> CatalogueCache:
    cache = CatalogueCache([RESOURCE], clock, fresh_s=60, stale_s=0)
    assert fill(cache)
    return cache


async def opened_write(database: Database, recorder: AuditRecorder, clock: ManualClock) -> Entry:
    ledger = await ledger_on(LedgerStore(database), recorder, clock)
    write = Write(kind=WriteKind.UPDATE, actor=Actor(web_user="ana"), resource=RESOURCE, key="01", body=b"{}")
    entry = await ledger.open(write)
    assert isinstance(entry, Entry)
    return entry


@pytest.mark.parametrize(("is_done", "is_kept"), [(True, True), (False, False)])
@pytest.mark.asyncio
async def test_the_cache_keeps_nothing_from_sending_until_a_known_end(
    database: Database,
    recorder: AuditRecorder,
    clock: ManualClock,
    cache: CatalogueCache,
    is_done: bool,
    is_kept: bool,
) -> None:
    entry = await opened_write(database, recorder, clock)
    async with entry, Sending(entry, cache, (RESOURCE,)) as sending:
        assert is_cached(cache)
        await sending.start()
        assert not is_cached(cache)
        assert not fill(cache)
        if is_done:
            entry.done(WriteAnswer(status=204))
        else:
            entry.failed(WriteState.UNKNOWN, OutcomeUnknown())
    assert not is_cached(cache)
    assert fill(cache) is is_kept


@pytest.mark.asyncio
async def test_an_unsent_write_leaves_the_cache_in_use(
    database: Database, recorder: AuditRecorder, clock: ManualClock, cache: CatalogueCache
) -> None:
    entry = await opened_write(database, recorder, clock)
    error = QueueFull("total")
    async with entry, Sending(entry, cache, (RESOURCE,)):
        entry.failed(state_after(error), refusal_after(error, CallKind.MODIFY))
        assert is_cached(cache)
    assert fill(cache)


@pytest.mark.asyncio
async def test_a_block_without_an_outcome_counts_as_unknown(
    database: Database, recorder: AuditRecorder, clock: ManualClock, cache: CatalogueCache
) -> None:
    entry = await opened_write(database, recorder, clock)

    async def send_and_fail() -> None:
        async with entry, Sending(entry, cache, (RESOURCE,)) as sending:
            await sending.start()
            raise RuntimeError("ours")

    with pytest.raises(RuntimeError, match="ours"):
        await send_and_fail()
    assert not fill(cache)


def test_a_refusal_keeps_the_text_of_its_cause_without_the_traceback() -> None:
    error = ErpRefused(400, -10, "no")
    refusal = refusal_after(error, CallKind.MODIFY)
    assert refusal.code == "upstream_rejected"
    assert refusal.caused_by is not None
    assert refusal.caused_by.startswith("ErpRefused")
    assert refusal.__cause__ is None


def test_a_forced_end_of_the_process_leaves_the_write_unknown() -> None:
    error = asyncio.CancelledError()
    assert isinstance(error, CALL_FAILURES)
    assert isinstance(refusal_after(error, CallKind.CREATE), OutcomeUnknown)
    assert state_after(error) is WriteState.UNKNOWN
