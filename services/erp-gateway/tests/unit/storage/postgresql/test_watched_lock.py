"""The lock in a real database: taken, confirmed, lost, taken again, given back."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from postgresql_server import PostgresServer

from erp_gateway.storage.database import open_database
from erp_gateway.storage.places import PostgresPlace
from erp_gateway.storage.postgresql.watched_lock import PostgresLock, open_postgres_lock
from erp_gateway.storage.serving_lock import LockServerDown, LockServerSilent, Taken
from servicekit.config import Secret


@pytest_asyncio.fixture
async def place(empty_database: PostgresPlace) -> PostgresPlace:
    async with open_database(empty_database):
        return empty_database


@pytest_asyncio.fixture
async def lock(place: PostgresPlace) -> AsyncIterator[PostgresLock]:
    async with open_postgres_lock(place) as opened:
        yield opened


@pytest_asyncio.fixture
async def other(place: PostgresPlace) -> AsyncIterator[PostgresLock]:
    async with open_postgres_lock(place) as opened:
        yield opened


def cut(postgresql: PostgresServer) -> None:
    """End the connections of all locks, as a server does that restarts."""
    postgresql.ask(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name LIKE 'erp-gateway lock%'"
    )


@pytest.mark.asyncio
async def test_one_has_it_and_whether_it_was_given_back_is_known(
    lock: PostgresLock, other: PostgresLock
) -> None:
    assert await lock.take() == Taken(was_released=False)  # nobody ever had it, which is as good as unknown
    assert await lock.confirm()
    assert await other.take() is None
    await lock.release()
    assert await other.take() == Taken(was_released=True)
    assert not await lock.confirm()


@pytest.mark.asyncio
async def test_a_connection_that_ended_is_made_anew_and_the_lock_is_still_ours(
    lock: PostgresLock, other: PostgresLock, postgresql: PostgresServer
) -> None:
    await lock.take()
    cut(postgresql)
    assert await lock.confirm()
    assert await other.take() is None


@pytest.mark.asyncio
async def test_who_comes_too_late_finds_it_lost_though_the_other_one_has_ended_too(
    lock: PostgresLock, other: PostgresLock, postgresql: PostgresServer
) -> None:
    await lock.take()
    cut(postgresql)
    assert await other.take() == Taken(was_released=False)
    cut(postgresql)
    assert not await lock.confirm()
    assert await other.confirm()


@pytest.mark.asyncio
async def test_a_store_that_is_not_made_yet_has_a_lock_too(empty_database: PostgresPlace) -> None:
    async with open_postgres_lock(empty_database) as lock:
        assert await lock.take() == Taken(was_released=False)
        async with open_database(empty_database):
            assert await lock.confirm()


@pytest.mark.asyncio
async def test_a_server_that_is_down_is_told_from_one_that_gives_no_answer(
    place: PostgresPlace, lock: PostgresLock, postgresql: PostgresServer
) -> None:
    await lock.take()
    both = place.url.reveal().replace("@127.0.0.1", "@127.0.0.1:1,127.0.0.1")
    several = PostgresPlace(Secret(both))
    postgresql.stop()
    try:
        with pytest.raises(LockServerDown):
            await lock.confirm()
        async with open_postgres_lock(several) as of_several:  # others may be led to another server
            with pytest.raises(LockServerSilent):
                await of_several.take()
        await lock.release()  # never raises
    finally:
        postgresql.start()
    assert await lock.confirm()
