"""Transactions on a server: one writer at a time, and a commit whose answer was lost is asked for."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from postgresql_server import PostgresServer
from relay import Relay, relaying
from store_beside import beside
from store_insides import NewStore
from structlog.testing import capture_logs

from erp_gateway.store.database import Database, open_database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.places import PostgresPlace, StorePlace
from erp_gateway.store.postgresql.engine import CommitUnknown
from erp_gateway.store.statements import Statements
from servicekit.config import Secret

pytestmark = pytest.mark.asyncio

DRAWN = "SELECT last_value FROM store_changes"


def adding(user: str) -> Callable[[Statements], None]:
    def work(statements: Statements) -> None:
        statements.execute("INSERT INTO menu_permission VALUES (?, '[]', '', '')", (user,))

    return work


async def users(database: Database) -> list[str]:
    return [row[0] for row in await database.read("SELECT web_user FROM menu_permission ORDER BY web_user")]


def drawn(place: StorePlace) -> int:
    return int(beside(place).ask(DRAWN)[0][0])


@asynccontextmanager
async def behind(relay: Relay, place: StorePlace) -> AsyncIterator[Database]:
    """Open a store through the relay."""
    assert isinstance(place, PostgresPlace)
    head, _, rest = place.url.reveal().rpartition("@")
    name = rest.partition("/")[2]
    async with open_database(PostgresPlace(Secret(f"{head}@127.0.0.1:{relay.port}/{name}"))) as database:
        yield database


async def test_writes_at_the_same_moment_share_a_transaction(
    database: Database, store_place: StorePlace
) -> None:
    before = drawn(store_place)
    await asyncio.gather(*(database.write(adding(f"user{number:02}")) for number in range(40)))
    assert drawn(store_place) - before <= 2
    assert len(await users(database)) == 40


async def test_counting_foreign_changes_begins_no_transaction(
    database: Database, store_place: StorePlace
) -> None:
    await database.write(adding("ana"))
    before = drawn(store_place)
    assert await database.data_version() == await database.data_version()
    assert drawn(store_place) == before


async def test_texts_sort_by_bytes_as_in_sqlite(database: Database) -> None:
    names = ["Zoe", "ana", "Ñandú", "_x", "a-b", "ab", "\U0001f600", "\uffee"]
    for name in names:
        await database.write(adding(name))
    assert await users(database) == sorted(names, key=str.encode)


async def test_a_text_with_a_nul_is_found_and_restored(database: Database) -> None:
    await database.write(adding("a\x00b"))
    rows = await database.read("SELECT web_user FROM menu_permission WHERE web_user = ?", ("a\x00b",))
    assert [tuple(row) for row in rows] == [("a\x00b",)]


async def test_invalid_json_is_rejected(database: Database) -> None:
    def work(statements: Statements) -> None:
        statements.execute("INSERT INTO menu_permission VALUES ('ana', 'no JSON', '', '')")

    with pytest.raises(StoreUnavailable):
        await database.write(work)
    assert await users(database) == []


async def test_work_that_continues_after_a_failed_statement_fails(
    database: Database,
) -> None:
    def work(statements: Statements) -> None:
        adding("ana")(statements)
        try:
            statements.execute("SELECT * FROM nowhere")
        except Exception:  # noqa: BLE001 - a piece of work that thinks it knows better
            return

    with pytest.raises(StoreUnavailable):
        await database.write(work)
    assert await users(database) == []
    await database.write(adding("bea"))


async def test_a_commit_whose_reply_was_lost_is_found_committed(
    postgresql: PostgresServer, store_place: StorePlace
) -> None:
    async with relaying(postgresql.port) as relay, behind(relay, store_place) as database:
        relay.cut = "after"
        with capture_logs() as logs:
            await database.write(adding("ana"))
        assert relay.cuts == 1
        assert "store_commit_found_done" in [line["event"] for line in logs]
        assert await users(database) == ["ana"]
        await database.write(adding("bea"))


async def test_a_commit_that_did_not_arrive_is_found_aborted(
    postgresql: PostgresServer, store_place: StorePlace
) -> None:
    async with relaying(postgresql.port) as relay, behind(relay, store_place) as database:
        relay.cut = "before"
        with pytest.raises(StoreUnavailable):
            await database.write(adding("ana"))
        assert relay.cuts == 1
        assert await users(database) == []
        await database.write(adding("ana"))
        assert await users(database) == ["ana"]


async def test_a_commit_of_unknown_outcome_fails_and_causes_a_reload(
    postgresql: PostgresServer, store_place: StorePlace
) -> None:
    async with relaying(postgresql.port) as relay, behind(relay, store_place) as database:
        before = await database.data_version()
        relay.cut, relay.refusing = "after", True
        with pytest.raises(StoreUnavailable) as caught:
            await database.write(adding("ana"))
        assert isinstance(caught.value.__cause__, CommitUnknown)
        relay.refusing = False
        await asyncio.sleep(1.1)  # a server that could not be reached is left alone for a second
        assert await database.data_version() != before
        assert await users(database) == ["ana"]


async def test_a_connection_to_a_replica_is_replaced(database: Database) -> None:
    def read_from_now_on(statements: Statements) -> None:
        statements.execute("SET default_transaction_read_only = on")  # as on a server that follows another

    await database.write(read_from_now_on)
    with pytest.raises(StoreUnavailable):
        await database.write(adding("ana"))
    await database.write(adding("bea"))
    assert await users(database) == ["bea"]


async def test_a_statement_over_the_time_limit_is_rolled_back(database: Database) -> None:
    def slow(statements: Statements) -> None:
        adding("ana")(statements)
        statements.execute("SET LOCAL statement_timeout = 50")
        statements.execute("SELECT pg_sleep(30)")

    with pytest.raises(StoreUnavailable):
        await database.write(slow)
    assert await users(database) == []


async def test_a_transaction_left_idle_is_ended_by_the_server_and_the_next_one_works(
    new_store: NewStore,
) -> None:
    def idle(statements: Statements) -> None:
        import time

        statements.execute("SET LOCAL idle_in_transaction_session_timeout = 50")
        adding("ana")(statements)
        time.sleep(2)
        adding("bea")(statements)

    with new_store() as place:
        async with open_database(place) as database:
            with pytest.raises(StoreUnavailable):
                await database.write(idle)
            await database.write(adding("carla"))
            assert await users(database) == ["carla"]
