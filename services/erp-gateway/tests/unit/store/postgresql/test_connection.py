"""A server that goes away and comes back: refused meanwhile, nothing to restart, nobody waits for ever."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import pytest_asyncio
from postgresql_server import PASSWORD, PostgresServer, find_binaries, run_postgresql
from structlog.testing import capture_logs

from erp_gateway.store.database import Database, open_database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.connection import PAUSE_S, Connector, open_connector
from erp_gateway.store.statements import Statements
from servicekit.config import Secret

pytestmark = pytest.mark.asyncio

MOST_S = 60.0
OURS = "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'erp-gateway %'"


def adding(user: str) -> Callable[[Statements], None]:
    def work(statements: Statements) -> None:
        statements.execute("INSERT INTO menu_permission VALUES (?, '[]', '', '')", (user,))

    return work


async def users(database: Database) -> list[str]:
    return [row[0] for row in await database.read("SELECT web_user FROM menu_permission ORDER BY web_user")]


@pytest.fixture
def own_server(postgresql: PostgresServer) -> Iterator[PostgresServer]:
    """Run a server that the test may stop; the other one only tells that there are programs for it."""
    binaries = find_binaries()
    assert binaries is not None
    with run_postgresql(binaries) as server:
        yield server


@pytest_asyncio.fixture
async def line(empty_database: PostgresPlace) -> AsyncIterator[Connector]:
    """Open one whose statements may take a second, so that it is cut after two."""
    async with open_connector(
        Connector(empty_database, "reader", read_only=True, statement_timeout_s=1.0)
    ) as opened:
        yield opened


def asleep(line: Connector, *lengths_s: float) -> Callable[[], int]:
    """Return a piece of work of so many statements."""

    def work() -> int:
        connection = line.connection()
        for length_s in lengths_s:
            connection.execute("SELECT pg_sleep(%s)", (length_s,))
        return connection.info.backend_pid

    return work


@pytest_asyncio.fixture
async def away(own_server: PostgresServer) -> AsyncIterator[Database]:
    async with open_database(own_server.place(own_server.new_database())) as database:
        yield database


async def back(database: Database) -> None:
    """Wait until the store takes a write again."""
    until = time.monotonic() + MOST_S
    while True:
        try:
            await database.write(lambda statements: statements.execute("SELECT 1").rowcount)
        except StoreUnavailable:
            assert time.monotonic() < until
            await asyncio.sleep(0.05)
        else:
            return


async def test_connections_ended_by_the_server_are_replaced_without_an_error(
    away: Database, own_server: PostgresServer
) -> None:
    await away.write(adding("ana"))
    ended = own_server.ask(f"SELECT pg_terminate_backend(pid) FROM ({OURS}) AS ours")
    assert len(ended) == 2
    await away.write(adding("bea"))
    assert await users(away) == ["ana", "bea"]


async def test_an_unreachable_server_fails_at_once_and_is_used_again_later(
    away: Database, own_server: PostgresServer
) -> None:
    await away.write(adding("ana"))
    own_server.stop()
    started = time.monotonic()
    with capture_logs() as logs:
        for _ in range(20):
            with pytest.raises(StoreUnavailable):
                await away.write(adding("bea"))
            with pytest.raises(StoreUnavailable):
                await away.read("SELECT 1")
            with pytest.raises(StoreUnavailable):
                await away.data_version()
    assert time.monotonic() - started < 10 * PAUSE_S
    assert PASSWORD not in str(logs)
    own_server.start()
    await back(away)
    await away.write(adding("carla"))
    assert await users(away) == ["ana", "carla"]


async def test_a_silent_connection_is_cut_and_the_write_done_on_another(
    away: Database, own_server: PostgresServer
) -> None:
    frozen = [pid for (pid,) in own_server.ask(OURS)]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        with capture_logs() as logs:
            async with asyncio.timeout(MOST_S):
                await away.write(adding("ana"))
        assert [line["event"] for line in logs] == ["store_connection_cut"]
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    assert await users(away) == ["ana"]


async def test_a_silent_server_is_given_up(away: Database, own_server: PostgresServer) -> None:
    frozen = [own_server.pid, *(pid for (pid,) in own_server.ask(OURS))]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        async with asyncio.timeout(MOST_S):
            with pytest.raises(StoreUnavailable):
                await away.write(adding("ana"))
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    await back(away)
    assert await users(away) == []


async def test_the_time_limit_applies_to_each_statement(line: Connector) -> None:
    with capture_logs() as logs:
        await line.run(asleep(line, *[0.5] * 6))
    assert logs == []


async def test_a_queued_piece_of_work_does_not_cut_the_running_one(line: Connector) -> None:
    with capture_logs() as logs:
        served = await asyncio.gather(*(line.run(asleep(line, 0.5)) for _ in range(6)))
    assert logs == []
    assert len(set(served)) == 1


async def test_a_queued_piece_of_work_does_not_cut_a_long_one(line: Connector) -> None:
    def long() -> None:
        line.connection().execute("SET statement_timeout = 0")
        asleep(line, 3.0)()

    with capture_logs() as logs:
        await asyncio.gather(line.run(long, may_take_long=True), line.run(asleep(line, 0.0)))
    assert logs == []


async def test_a_silent_statement_is_cut_once_however_many_callers_wait(
    line: Connector, postgresql: PostgresServer
) -> None:
    frozen = await line.run(asleep(line, 0.0))
    os.kill(frozen, signal.SIGSTOP)
    started = time.monotonic()
    try:
        with capture_logs() as logs:
            results = await asyncio.gather(
                *(line.run(asleep(line, 0.0)) for _ in range(3)), return_exceptions=True
            )
    finally:
        os.kill(frozen, signal.SIGCONT)
    assert time.monotonic() - started >= 2.0
    assert [event["event"] for event in logs] == ["store_connection_cut"]
    assert isinstance(results[0], line.failure)
    assert results[1] == results[2] != frozen


async def test_a_silent_statement_of_a_cancelled_caller_is_cut_too(
    line: Connector,
) -> None:
    frozen = await line.run(asleep(line, 0.0))
    os.kill(frozen, signal.SIGSTOP)
    try:
        leaving = asyncio.create_task(line.run(asleep(line, 0.0)))
        await asyncio.sleep(0.05)
        leaving.cancel()
        async with asyncio.timeout(MOST_S):
            assert await line.run(asleep(line, 0.0)) != frozen
    finally:
        os.kill(frozen, signal.SIGCONT)


async def test_an_idle_connection_is_not_cut(line: Connector) -> None:
    first = await line.run(asleep(line, 0.0))
    await asyncio.sleep(2.5)
    assert await line.run(asleep(line, 0.0)) == first


async def test_a_cancelled_reader_affects_no_other(away: Database) -> None:
    reading = asyncio.create_task(away.read("SELECT pg_sleep(2)"))
    await asyncio.sleep(0.05)
    reading.cancel()
    await asyncio.wait({reading})
    assert reading.cancelled()
    assert await users(away) == []


async def test_closing_ends_connections_and_threads(own_server: PostgresServer) -> None:
    place = own_server.place(own_server.new_database())
    async with open_database(place) as database:
        await database.write(adding("ana"))
        assert len(own_server.ask(OURS)) == 2
    until = time.monotonic() + MOST_S
    while own_server.ask(OURS):
        assert time.monotonic() < until
        await asyncio.sleep(0.01)


async def test_with_several_servers_the_primary_is_used_for_reads_too(
    own_server: PostgresServer,
) -> None:
    url = own_server.url(own_server.new_database())
    follower = own_server.new_follower()
    with own_server.followed_by(follower):
        several = url.replace("@127.0.0.1:", f"@127.0.0.1:{follower.port},127.0.0.1:")
        async with open_database(PostgresPlace(Secret(several))) as database:
            await database.write(adding("ana"))
            assert await users(database) == ["ana"]
            own_server.stop()
            with pytest.raises(StoreUnavailable):
                await users(database)
            own_server.start()
