"""Failed logins in the store: a restart neither forgets them nor brings back what was lifted."""

import pytest
from flaky_database import FlakyDatabase, Mood
from session_process import ADDRESS, event, started

from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import AuditAction
from servicekit.clock import ManualClock

pytestmark = pytest.mark.check


@pytest.mark.asyncio
async def test_failed_logins_still_count_after_a_restart(store: FlakyDatabase, clock: ManualClock) -> None:
    first = await started(store, clock)
    await first.fail("Ana", times=4)
    clock.advance(60)
    second = await started(store, clock)
    assert not await second.is_blocked("ana")
    await second.fail("ana")
    third = await started(store, clock)
    assert await third.is_blocked("ana")
    clock.advance(15 * 60 - 61)
    assert await (await started(store, clock)).is_blocked("ana")
    clock.advance(1)
    assert not await (await started(store, clock)).is_blocked("ana")


@pytest.mark.asyncio
async def test_lifted_blocks_and_cleared_failures_stay_so_after_a_restart(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    first = await started(store, clock)
    await first.fail("ana", times=5)
    assert first.throttle.lift_block("ana")
    await first.changes.record_lift(event(AuditAction.LOGIN_BLOCK_LIFTED), web_user="ana")
    await first.fail("eva", times=4)
    async with first.throttle.attempt("eva", ADDRESS) as attempt:
        attempt.succeeded()
    await first.open("eva")
    later = await started(store, clock)
    assert not await later.is_blocked("ana")
    await later.fail("eva")
    assert not await later.is_blocked("eva")


@pytest.mark.asyncio
async def test_failures_that_the_store_refused_are_written_later(
    store: FlakyDatabase, clock: ManualClock, database: Database
) -> None:
    first = await started(store, clock)
    store.mood = Mood.AWAY
    first.recorder._limit_s = 0.05
    await first.fail("ana", times=5)
    store.mood = Mood.WELL
    await first.failures.write_behind()
    assert await (await started(store, clock)).is_blocked("ana")
    clock.advance(15 * 60)
    await first.failures.write_behind()
    assert list(await database.read("SELECT * FROM login_failure")) == []
