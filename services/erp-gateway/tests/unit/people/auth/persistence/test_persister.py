"""Sessions that one process stores and the next one restores."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from employees import PASSWORD
from flaky_database import FlakyDatabase, Mood
from session_process import TIMEOUT_S, started
from structlog.testing import capture_logs

from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.people.auth.administration.service import Administration
from erp_gateway.people.auth.errors import SessionEndNotStored, SessionNotFound
from erp_gateway.people.auth.persistence.persister import forget_sessions
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import Actor, AuditAction
from erp_gateway.web.session import SessionExpired
from servicekit.clock import ManualClock

pytestmark = pytest.mark.check


@pytest.mark.asyncio
async def test_a_session_continues_after_a_restart(store: FlakyDatabase, clock: ManualClock) -> None:
    opened = await (await started(store, clock)).open()
    clock.advance(60)
    later = await started(store, clock)
    session = later.sessions.authenticate(opened.token)
    assert session == opened.session
    assert (session.user.name, session.user.full_name, session.user.email) == (
        "ana",
        "Ana Rojas",
        "ana@example.com",
    )
    assert session.signed_in_at == clock.now() - timedelta(seconds=60)


@pytest.mark.asyncio
async def test_the_timeout_continues_from_the_last_stored_use(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    first = await started(store, clock)
    opened = await first.open()
    clock.advance(1000)
    first.sessions.authenticate(opened.token)
    clock.advance(20)
    await first.persister.reconcile()
    clock.advance(5)
    first.sessions.authenticate(opened.token)  # the process dies before this one is written
    clock.advance(TIMEOUT_S - 26)
    assert (await started(store, clock)).sessions.is_live(opened.session.token_digest)
    clock.advance(1)
    with pytest.raises(SessionExpired):
        (await started(store, clock)).sessions.authenticate(opened.token)


@pytest.mark.asyncio
async def test_a_stop_writes_the_last_uses(store: FlakyDatabase, clock: ManualClock) -> None:
    first = await started(store, clock)
    opened = await first.open()
    clock.advance(1000)
    first.sessions.authenticate(opened.token)
    await first.persister.close()
    clock.advance(TIMEOUT_S - 1)
    (await started(store, clock)).sessions.authenticate(opened.token)


@pytest.mark.asyncio
async def test_sessions_unused_keep_their_order_and_their_times(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    first = await started(store, clock)
    ana = await first.open("ana")
    clock.advance(10)
    eva = await first.open("eva")
    clock.advance(10)
    first.sessions.authenticate(ana.token)
    await first.persister.close()
    before = first.sessions.list_live()
    later = await started(store, clock)
    assert later.sessions.list_live() == before
    await later.open("luis")
    await later.open("iris")  # one more than there is room for: the least used one ends
    assert not later.sessions.is_live(eva.session.token_digest)
    assert later.sessions.is_live(ana.session.token_digest)


@pytest.mark.asyncio
async def test_two_logins_at_once_store_the_live_session(store: FlakyDatabase, clock: ManualClock) -> None:
    first = await started(store, clock)
    await first.open()
    opened = await asyncio.gather(*(first.open() for _ in range(5)))
    living = [each for each in opened if first.sessions.is_live(each.session.token_digest)]
    later = await started(store, clock)
    assert len(living) == 1
    assert [live.session for live in later.sessions.list_live()] == [living[0].session]


@pytest.mark.asyncio
async def test_an_end_is_stored_before_the_response(
    store: FlakyDatabase, clock: ManualClock, database: Database
) -> None:
    first = await started(store, clock)
    opened = await first.open()
    assert await first.log_out(opened)
    assert list(await database.read("SELECT * FROM web_session")) == []
    with pytest.raises(SessionExpired):
        (await started(store, clock)).sessions.authenticate(opened.token)


@pytest.mark.asyncio
@pytest.mark.parametrize("mood", [Mood.AWAY, Mood.MUTE])
async def test_an_end_that_the_store_refuses_applies_in_memory_and_is_written_later(
    store: FlakyDatabase, clock: ManualClock, mood: Mood
) -> None:
    first = await started(store, clock)
    opened = await first.open()
    store.mood = mood
    first.recorder._limit_s = 0.05
    assert not await first.log_out(opened)
    with pytest.raises(SessionExpired):
        first.sessions.authenticate(opened.token)
    store.mood = Mood.WELL
    await first.persister.reconcile()
    assert (await started(store, clock)).sessions.list_live() == ()


@pytest.mark.asyncio
async def test_a_login_fails_while_the_end_of_the_earlier_session_cannot_be_written(
    store: FlakyDatabase, clock: ManualClock, audit_store: AuditStore
) -> None:
    first = await started(store, clock)
    opened = await first.open()
    store.mood = Mood.AWAY
    first.recorder._limit_s = 0.05
    with pytest.raises(StoreUnavailable):
        await first.open()
    assert first.sessions.authenticate(opened.token) == opened.session
    store.mood = Mood.WELL
    await first.recorder.write_pending()
    records = [(entry.result, entry.reason) async for entry in audit_store.walk(AuditFilter())]
    assert records == [("ok", None), ("error", "store_unavailable")]
    assert (await started(store, clock)).sessions.authenticate(opened.token) == opened.session


@pytest.mark.asyncio
async def test_a_first_session_starts_without_the_store_and_is_written_later(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    first = await started(store, clock)
    store.mood = Mood.AWAY
    first.recorder._limit_s = 0.05
    opened = await first.open()
    first.sessions.authenticate(opened.token)
    store.mood = Mood.WELL
    await first.persister.reconcile()
    (await started(store, clock)).sessions.authenticate(opened.token)


@pytest.mark.asyncio
async def test_a_late_write_does_not_revive_an_ended_session(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    first = await started(store, clock)
    store.mood = Mood.AWAY
    first.recorder._limit_s = 0.05
    opened = await first.open()
    first.sessions.close(opened.session)  # ended by its age, say: nothing was written
    store.mood = Mood.WELL
    await first.recorder.write_pending()
    assert (await started(store, clock)).sessions.list_live() == ()


@pytest.mark.asyncio
async def test_expired_sessions_are_deleted_from_the_store(
    store: FlakyDatabase, clock: ManualClock, database: Database
) -> None:
    first = await started(store, clock)
    await first.open()
    clock.advance(TIMEOUT_S)
    await first.persister.reconcile()
    assert list(await database.read("SELECT * FROM web_session")) == []


@pytest.mark.asyncio
async def test_a_clock_set_back_while_running_extends_no_session(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    first = await started(store, clock)
    opened = await first.open()
    clock.advance(1000)
    clock.set_wall_clock(clock.now() - timedelta(seconds=900))
    await first.persister.reconcile()
    clock.advance(799)
    assert (await started(store, clock)).sessions.is_live(opened.session.token_digest)
    clock.advance(1)
    assert not (await started(store, clock)).sessions.is_live(opened.session.token_digest)


@pytest.mark.asyncio
async def test_a_clock_set_back_between_processes_ends_all_sessions_and_logs_it(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    opened = await (await started(store, clock)).open()
    clock.set_wall_clock(clock.now() - timedelta(hours=1))
    with capture_logs() as lines:
        later = await started(store, clock)
    assert not later.sessions.is_live(opened.session.token_digest)
    assert [(line["log_level"], line["ended"]) for line in lines if line["event"] == "sessions_restored"] == [
        ("warning", 1)
    ]
    newer = await later.open()  # from here on by the new time
    assert (await started(store, clock)).sessions.is_live(newer.session.token_digest)


@pytest.mark.asyncio
async def test_an_unavailable_store_at_the_stop_is_logged(store: FlakyDatabase, clock: ManualClock) -> None:
    first = await started(store, clock)
    store.mood = Mood.AWAY
    with capture_logs() as lines:
        await first.persister.close()
    assert [line["event"] for line in lines] == ["sessions_not_written"]


@pytest.mark.asyncio
async def test_stored_sessions_can_be_deleted(store: FlakyDatabase, clock: ManualClock) -> None:
    first = await started(store, clock)
    opened = await first.open()
    await first.fail("eva", times=5)
    await forget_sessions(store)
    await first.failures.forget_all()
    later = await started(store, clock)
    assert not later.sessions.is_live(opened.session.token_digest)
    assert not await later.is_blocked("eva")


@pytest.mark.asyncio
async def test_the_store_holds_neither_token_nor_password(
    store: FlakyDatabase, clock: ManualClock, database: Database
) -> None:
    opened = await (await started(store, clock)).open()
    rows = [tuple(row) for row in await database.read("SELECT * FROM web_session")]
    assert len(rows) == 1
    for secret in (opened.token, PASSWORD):
        assert secret not in repr(rows)
        assert secret.encode() not in b"".join(bytes(value) for value in rows[0] if isinstance(value, bytes))


@pytest.mark.asyncio
async def test_an_unstored_end_can_be_retried_until_it_is_stored(
    store: FlakyDatabase, clock: ManualClock
) -> None:
    process = await started(store, clock)
    opened = await process.open()
    nobody: Any = None  # whom the ERP knows is not asked here
    administration = Administration(nobody, process.sessions, process.throttle, process.changes, store)
    root = Actor(web_user="root")
    store.mood = Mood.AWAY
    for _ in range(2):
        with pytest.raises(SessionEndNotStored):
            await administration.end_session("ana", actor=root)
    store.mood = Mood.WELL
    await administration.end_session("ana", actor=root)
    assert not (await started(store, clock)).sessions.is_live(opened.session.token_digest)
    with pytest.raises(SessionNotFound):
        await administration.end_session("ana", actor=root)
    await process.recorder.write_pending()
    found = await AuditStore(store).find(AuditFilter(action=AuditAction.SESSION_ENDED), page=1, page_size=9)
    assert found.total == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("mood", [Mood.AWAY, Mood.MUTE])
async def test_a_login_fails_while_a_restart_could_continue_the_earlier_session(
    mood: Mood, store: FlakyDatabase, clock: ManualClock
) -> None:
    process = await started(store, clock)
    first = await process.open()
    store.mood = mood
    assert not await process.log_out(first)
    with pytest.raises(StoreUnavailable):
        await process.open()
    assert (await process.open("eva")).token  # who owes no end signs in as ever
    store.mood = Mood.WELL
    second = await process.open()
    later = await started(store, clock)
    assert later.sessions.authenticate(second.token) == second.session
    with pytest.raises(SessionExpired):
        later.sessions.authenticate(first.token)


@pytest.mark.asyncio
@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("late", ["write_pending", "reconcile"])
async def test_a_late_write_does_not_displace_the_session_that_replaces_the_one_in_memory(
    store: FlakyDatabase, clock: ManualClock, late: str, is_stored: bool
) -> None:
    process = await started(store, clock)
    store.mood = Mood.WELL if is_stored else Mood.AWAY
    earlier = await process.open()
    store.mood = Mood.WELL
    write = process.recorder.write_pending if late == "write_pending" else process.persister.reconcile
    opening = asyncio.create_task(process.open())
    while not process.persister._replacing:  # noqa: ASYNC110 - nothing signals that the row is on its way
        await asyncio.sleep(0)
    await write()
    newer = await opening
    later = await started(store, clock)
    assert later.sessions.authenticate(newer.token) == newer.session
    with pytest.raises(SessionExpired):
        later.sessions.authenticate(earlier.token)
