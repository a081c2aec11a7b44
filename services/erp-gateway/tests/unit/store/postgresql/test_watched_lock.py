"""The lock in a real database: taken, confirmed, lost, taken again, given back."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress

import psycopg
import pytest
import pytest_asyncio
from postgresql_server import START_S, PostgresServer
from relay import relaying

from erp_gateway.store.database import hold_process_lock, open_database
from erp_gateway.store.errors import StoreInUse, StoreNotUsable
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.dialect import LOCK_SPACE, SERVING
from erp_gateway.store.postgresql.watched_lock import PostgresLock, open_postgres_lock, reports_down
from erp_gateway.store.serving_lock import LockServerAway, LockServerDown, LockServerSilent, Taken
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


def at_port(place: PostgresPlace, port: int) -> PostgresPlace:
    """Return the same database at another port of this machine."""
    head, _, rest = place.url.reveal().rpartition("@")
    return PostgresPlace(Secret(f"{head}@127.0.0.1:{port}/{rest.partition('/')[2]}"))


def start_after_a_crash(postgresql: PostgresServer) -> None:
    """Start a server whose own process was killed, as soon as the last of the others has ended."""
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        with suppress(RuntimeError):
            return postgresql.start()
        time.sleep(0.1)
    return postgresql.start()


async def until_away(lock: PostgresLock) -> None:
    """Ask until the connection's own process has noticed that its server is gone; until then it answers."""
    while await lock.confirm():  # noqa: ASYNC110 - the server signals nothing
        await asyncio.sleep(0.2)


def cut(postgresql: PostgresServer) -> None:
    """End the connections of all locks, as a server does that restarts."""
    postgresql.ask(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name LIKE 'erp-gateway lock%'"
    )


@pytest.mark.asyncio
async def test_one_process_has_the_lock_and_its_release_is_recorded(
    lock: PostgresLock, other: PostgresLock
) -> None:
    assert await lock.take() == Taken(was_released=False)  # nobody ever had it, which is as good as unknown
    assert await lock.confirm()
    assert await other.take() is None
    await lock.release()
    assert await other.take() == Taken(was_released=True)
    assert not await lock.confirm()


@pytest.mark.asyncio
async def test_an_ended_connection_is_replaced_and_keeps_the_lock(
    lock: PostgresLock, other: PostgresLock, postgresql: PostgresServer
) -> None:
    await lock.take()
    cut(postgresql)
    assert await lock.confirm()
    assert await other.take() is None


@pytest.mark.asyncio
async def test_a_lock_held_by_another_process_in_between_is_lost(
    lock: PostgresLock, other: PostgresLock, postgresql: PostgresServer
) -> None:
    await lock.take()
    cut(postgresql)
    assert await other.take() == Taken(was_released=False)
    cut(postgresql)
    assert not await lock.confirm()
    assert await other.confirm()


@pytest.mark.asyncio
async def test_a_database_without_a_store_has_a_lock(empty_database: PostgresPlace) -> None:
    async with open_postgres_lock(empty_database) as lock:
        assert await lock.take() == Taken(was_released=False)
        async with open_database(empty_database):
            assert await lock.confirm()


@pytest.mark.asyncio
async def test_a_lock_older_than_the_store_is_acquired_again_unless_another_process_had_it(
    empty_database: PostgresPlace, postgresql: PostgresServer
) -> None:
    async with open_postgres_lock(empty_database) as lock, open_postgres_lock(empty_database) as early:
        await early.take()
        cut(postgresql)
        await lock.take()
        async with open_database(empty_database):
            for _ in range(2):
                cut(postgresql)
                assert await lock.confirm()
            cut(postgresql)
            assert not await early.confirm()


@pytest.mark.asyncio
async def test_a_lock_is_kept_only_as_long_as_its_first_connection(
    lock: PostgresLock, postgresql: PostgresServer
) -> None:
    assert not await lock.keeps()
    await lock.take()
    assert await lock.keeps()
    cut(postgresql)
    with pytest.raises(LockServerSilent):
        await lock.keeps()
    assert not await lock.keeps()


@pytest.mark.asyncio
async def test_a_lock_in_a_read_only_database_is_not_acquired_again(
    place: PostgresPlace, lock: PostgresLock, other: PostgresLock, postgresql: PostgresServer
) -> None:
    database = place.url.reveal().rpartition("/")[2]
    await lock.take()
    postgresql.ask("ALTER TABLE serving RENAME TO away", database)
    cut(postgresql)
    with pytest.raises(LockServerSilent, match="serving"):
        await lock.confirm()
    postgresql.ask("ALTER TABLE away RENAME TO serving", database)
    assert await other.take() == Taken(was_released=False)
    assert not await lock.confirm()


@pytest.mark.asyncio
async def test_a_server_that_was_up_again_does_not_count_as_down_by_an_old_message(
    place: PostgresPlace, lock: PostgresLock, postgresql: PostgresServer
) -> None:
    database = place.url.reveal().rpartition("/")[2]
    await lock.take()
    postgresql.ask("ALTER TABLE serving RENAME TO away", database)
    cut(postgresql)
    with pytest.raises(LockServerSilent, match="serving"):
        await lock.confirm()
    postgresql.ask("ALTER TABLE away RENAME TO serving", database)
    postgresql.stop()
    try:
        with pytest.raises(LockServerSilent):
            await lock.confirm()
    finally:
        postgresql.start()


@pytest.mark.asyncio
async def test_a_server_that_is_down_differs_from_a_silent_one(
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


@pytest.mark.parametrize(
    ("hosts", "is_down"),
    [
        ("127.0.0.1:1,127.0.0.1:2", True),
        ("127.0.0.1:1,127.0.0.1:{port}", False),
        ("127.0.0.1:{port},127.0.0.1:1", False),
    ],
)
def test_a_name_with_several_addresses_is_down_when_all_are(
    postgresql: PostgresServer, hosts: str, is_down: bool
) -> None:
    with pytest.raises(psycopg.OperationalError) as failure:
        psycopg.connect(f"postgresql://app:wrong@{hosts.format(port=postgresql.port)}/postgres")
    assert reports_down(str(failure.value)) is is_down


@pytest.mark.asyncio
async def test_a_crashed_server_gives_the_lock_to_no_process(
    lock: PostgresLock, postgresql: PostgresServer
) -> None:
    await lock.take()
    was_told = False
    for _ in range(3):  # a busy machine may lose the server's last words with the connection
        postgresql.stop(signal.SIGKILL)
        try:
            with pytest.raises(LockServerAway) as away:
                await until_away(lock)
        finally:
            start_after_a_crash(postgresql)
        assert await lock.confirm()
        if was_told := away.type is LockServerDown:
            break
    assert was_told


@pytest.mark.asyncio
async def test_the_last_holder_survives_a_crash_with_asynchronous_commits(
    lock: PostgresLock, other: PostgresLock, postgresql: PostgresServer
) -> None:
    assert postgresql.ask("SHOW synchronous_commit") == [("off",)]
    ((flushing,),) = postgresql.ask("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'")
    await lock.take()
    await lock.release()
    postgresql.ask("CHECKPOINT")
    os.kill(flushing, signal.SIGSTOP)
    try:
        assert await other.take() == Taken(was_released=True)
    finally:
        os.kill(flushing, signal.SIGKILL)  # the server ends all connections and begins anew
    taken = None
    async with asyncio.timeout(START_S):
        with suppress(LockServerSilent):
            while True:
                await lock.take()
        while taken is None:
            with suppress(LockServerSilent):
                taken = await lock.take()
    assert taken == Taken(was_released=False)


@pytest.mark.asyncio
async def test_a_refusing_relay_does_not_prove_that_the_server_is_down(
    place: PostgresPlace, other: PostgresLock, postgresql: PostgresServer
) -> None:
    async with relaying(postgresql.port) as relay, open_postgres_lock(at_port(place, relay.port)) as lock:
        await lock.take()
        relay.stop()
        with pytest.raises(LockServerSilent, match="refused"):
            await lock.confirm()
        while not await other.take():  # as soon as the server has seen it
            pass


@pytest.mark.asyncio
async def test_a_relay_may_refuse_longer_than_the_stopped_server(
    place: PostgresPlace, postgresql: PostgresServer
) -> None:
    async with relaying(postgresql.port) as relay, open_postgres_lock(at_port(place, relay.port)) as lock:
        await lock.take()
        postgresql.stop()
        try:
            while relay.wires:  # noqa: ASYNC110 - until the server's word has come through
                await asyncio.sleep(0.01)
            relay.stop()
            with pytest.raises(LockServerSilent, match="refused"):
                await lock.confirm()
        finally:
            postgresql.start()


@pytest.mark.asyncio
@pytest.mark.parametrize("asked", ["", "?target_session_attrs=any"])
async def test_the_lock_of_a_replica_does_not_count(
    place: PostgresPlace, postgresql: PostgresServer, asked: str
) -> None:
    follower = postgresql.new_follower()
    async with relaying(postgresql.port) as relay:
        both = f"@127.0.0.1:{relay.port},127.0.0.1:{follower.port}/"
        url = place.url.reveal().replace(f"@127.0.0.1:{postgresql.port}/", both) + asked
        async with open_postgres_lock(PostgresPlace(Secret(url))) as lock, open_postgres_lock(place) as other:
            await lock.take()
            with postgresql.followed_by(follower):  # it knows of the lock
                assert await lock.confirm()
                relay.stop()
                for _ in range(3):
                    with pytest.raises(LockServerSilent):
                        await lock.confirm()
                while not await other.take():  # as soon as the server has seen it
                    pass
                with pytest.raises(LockServerSilent):
                    await lock.confirm()


@pytest.mark.asyncio
async def test_a_server_in_smart_shutdown_may_give_the_lock_to_a_connection(
    lock: PostgresLock, other: PostgresLock, postgresql: PostgresServer
) -> None:
    await lock.take()
    assert await other.take() is None
    with psycopg.connect(postgresql.url("postgres"), autocommit=True) as administrator:
        os.kill(postgresql.pid, signal.SIGTERM)
        try:
            with suppress(psycopg.OperationalError):
                while True:
                    postgresql.ask("SELECT 1")
            administrator.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks "
                "WHERE locktype = 'advisory' AND granted AND classid = %s AND objid = %s",
                (LOCK_SPACE, SERVING),
            )
            with pytest.raises(LockServerSilent, match="shutting down"):
                await lock.confirm()
            assert await other.take() == Taken(was_released=False)
            assert await other.keeps()
        finally:
            postgresql.stop()
            postgresql.start()


HOLD = """
import os, time
from erp_gateway.store.database import hold_process_lock
from erp_gateway.store.places import PostgresPlace
from servicekit.config import Secret
with hold_process_lock(PostgresPlace(Secret(os.environ["HELD"]))):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_rejected_with_the_holders_name_until_a_kill(
    empty_database: PostgresPlace,
) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env={**os.environ, "HELD": empty_database.url.reveal()},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline().strip() == "held"
        with pytest.raises(StoreInUse) as caught, hold_process_lock(empty_database):
            pass
        assert f"process {holder.pid} on {socket.gethostname()}"[:20] in str(caught.value)
        assert "from 127.0.0.1" in str(caught.value)
        assert str(empty_database) in str(caught.value)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    for _ in range(100):  # the server finds out at once, but not in no time
        try:
            with hold_process_lock(empty_database):
                return
        except StoreInUse:
            pass
    pytest.fail("the lock of a killed process stayed")


def test_the_lock_is_free_again_after_leaving(empty_database: PostgresPlace) -> None:
    with hold_process_lock(empty_database):
        pass
    deadline = time.monotonic() + 30  # the server frees it when it has seen the connection end
    while True:
        try:
            with hold_process_lock(empty_database):
                return
        except StoreInUse:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_another_database_of_the_server_has_its_own_lock(
    postgresql: PostgresServer, empty_database: PostgresPlace
) -> None:
    with hold_process_lock(empty_database), hold_process_lock(postgresql.place("postgres")):
        pass


def test_an_unreachable_lock_server_is_reported(postgresql: PostgresServer) -> None:
    nowhere = PostgresPlace(Secret("postgresql://app:secret@127.0.0.1:1/store"))
    with pytest.raises(StoreNotUsable, match="STORE_URL"), hold_process_lock(nowhere):
        pass
