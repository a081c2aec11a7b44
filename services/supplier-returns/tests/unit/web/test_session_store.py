"""Store of web sessions, with ERP clients that never connect."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from erpclient import AiohttpTransport, Caller, Credentials, ErpClient, ErpSettings, QueueClosed, QueueStats
from servicekit.clock import ManualClock
from supplier_returns.web.session_errors import SessionExpired, TooManySessions
from supplier_returns.web.session_store import WebSessionStore, new_token
from supplier_returns.web.user import ErpUser

MakeStore = Callable[..., WebSessionStore]


def client() -> ErpClient:
    return ErpClient(
        ErpSettings("http://127.0.0.1:1/b1s/v1"),
        Credentials("C", "u", "p"),
        renewable=False,
        transport=AiohttpTransport(connect_timeout_s=1, max_reply_bytes=1024),
    )


@pytest.fixture
def store(clock: ManualClock) -> WebSessionStore:
    return WebSessionStore(timeout_s=60, capacity=3, per_user=2, grace_s=60, clock=clock)


def test_a_token_has_256_bits() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {43}


@pytest.mark.asyncio
async def test_a_session_shows_neither_its_cookie_nor_its_client(store: WebSessionStore) -> None:
    opened = store.open(ErpUser("ana", "Ana"), client())
    assert opened.token not in repr(opened)
    assert "ErpClient" not in repr(opened.session)
    await store.aclose()


@pytest.mark.asyncio
async def test_reserved_sessions_count_until_they_are_released(store: WebSessionStore) -> None:
    with (
        store.reserve("a"),
        store.reserve("b"),
        store.reserve("c"),
        pytest.raises(TooManySessions),
        store.reserve("d"),
    ):
        pass
    with store.reserve("d"):
        assert len(store) == 0


@pytest.mark.asyncio
async def test_a_session_is_replaced_only_after_the_erp_accepts_the_login(store: WebSessionStore) -> None:
    opened = [store.open(ErpUser(user, user), client()) for user in ("ana", "eva", "ana")]
    with store.reserve(" ANA "):
        assert len(store) == 3
    with store.reserve("ana"):
        latest = store.open(ErpUser("ana", "ana"), client())
    assert len(store) == 3
    assert store.authenticate([latest.token]) is latest.session
    with pytest.raises(SessionExpired):
        store.authenticate([opened[0].token])
    refused = client()
    with pytest.raises(TooManySessions):
        store.open(ErpUser("leo", "leo"), refused)
    await refused.aclose()
    await store.aclose()


@pytest.mark.asyncio
async def test_a_session_in_use_is_closed_only_when_it_is_free(store: WebSessionStore) -> None:
    opened = store.open(ErpUser("ana", "Ana"), client())
    with opened.session.in_use() as erp, opened.session.in_use():
        store.end(opened.session)
        store.end(opened.session)
        assert len(store) == 0
        assert store.queue_stats == QueueStats(0, 0)
        closing = asyncio.create_task(store.aclose())
        await asyncio.sleep(0.01)
        assert not closing.done()
        assert erp is opened.session.erp
    await closing
    store.touch(opened.session)
    assert len(store) == 0


@pytest.mark.asyncio
async def test_work_that_exceeds_the_grace_period_is_abandoned(clock: ManualClock) -> None:
    store = WebSessionStore(timeout_s=60, capacity=3, per_user=2, grace_s=20, clock=clock)
    opened = store.open(ErpUser("ana", "Ana"), client())
    with opened.session.in_use(), capture_logs() as logs:
        store.drain()
        clock.advance(20)
        async with asyncio.timeout(30):
            await store.aclose()
    assert [(line["event"], line["users"]) for line in logs] == [("erp_sessions_left_open", ["ana"])]


@pytest.mark.asyncio
async def test_no_call_is_sent_during_shutdown(store: WebSessionStore) -> None:
    first = store.open(ErpUser("ana", "Ana"), client())
    store.drain()
    second = store.open(ErpUser("eva", "Eva"), client())
    for opened in (first, second):
        with pytest.raises(QueueClosed):
            await opened.session.erp.call_service("X", b"", caller=Caller("x"))
    await store.aclose()


@pytest.mark.asyncio
async def test_a_further_session_of_a_user_ends_the_oldest(store: WebSessionStore) -> None:
    first, second = (store.open(ErpUser(user, ""), client()) for user in ("Ana", "ana"))
    store.authenticate([first.token])  # the oldest, although it was used last
    third = store.open(ErpUser("ANA", ""), client())
    with pytest.raises(SessionExpired):
        store.authenticate([first.token])
    assert [store.authenticate([each.token]) for each in (second, third)] == [second.session, third.session]
    store.end(second.session)
    store.open(ErpUser("ana", ""), client())
    assert store.authenticate([third.token]) is third.session
    store.open(ErpUser("eva", ""), client())
    assert len(store) == 3
    await store.aclose()


@pytest.mark.asyncio
async def test_a_wall_clock_jump_neither_ends_nor_extends_a_session(
    store: WebSessionStore, clock: ManualClock
) -> None:
    token = store.open(ErpUser("ana", "Ana"), client()).token
    for hours in (2, -4):
        clock.set_wall_clock(clock.now() + timedelta(hours=hours))
        store.authenticate([token])
    clock.advance(60)
    with pytest.raises(SessionExpired):
        store.authenticate([token])
    await store.aclose()
