"""A database that can't be the store ends the start with a message that says what to do, and no password."""

import asyncio

import pytest
from postgresql_server import PASSWORD, PostgresServer
from store_beside import beside

from erp_gateway.store.database import open_database
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.migrations import Migration, load_migrations
from erp_gateway.store.places import PostgresPlace
from servicekit.config import Secret

NEXT = Migration(number=2, name="next", script="CREATE TABLE next_thing (id INTEGER);")
BROKEN = Migration(number=2, name="broken", script="CREATE TABLE next_thing (id INTEGER); CREATE TABEL x;")
VERSION = "SELECT version FROM store_version"
NEXT_THING = "SELECT to_regclass('next_thing') IS NOT NULL"


async def open_and_close(place: PostgresPlace, **options: object) -> None:
    async with open_database(place, **options):  # type: ignore[arg-type] # whatever the case passes on
        pass


def refusal(place: PostgresPlace, **options: object) -> str:
    with pytest.raises(StoreNotUsable) as caught:
        asyncio.run(open_and_close(place, **options))
    text = str(caught.value)
    assert PASSWORD not in text
    return text


def test_an_empty_database_becomes_a_store_that_opens_again(empty_database: PostgresPlace) -> None:
    asyncio.run(open_and_close(empty_database))
    asyncio.run(open_and_close(empty_database))
    assert beside(empty_database).ask(VERSION) == [(len(load_migrations()),)]


def test_two_processes_that_start_at_once_create_one_store(empty_database: PostgresPlace) -> None:
    async def both() -> None:
        await asyncio.gather(*(open_and_close(empty_database) for _ in range(2)))

    asyncio.run(both())
    assert beside(empty_database).ask(VERSION) == [(len(load_migrations()),)]


def test_a_missing_store_is_reported_if_it_may_not_be_created(empty_database: PostgresPlace) -> None:
    assert "there is no store at postgresql://app@127.0.0.1:" in refusal(empty_database, may_create=False)
    assert beside(empty_database).ask("SELECT to_regclass('store_version')") == [(None,)]


def test_an_older_store_is_brought_up_to_date(empty_database: PostgresPlace) -> None:
    asyncio.run(open_and_close(empty_database, migrations=load_migrations()[:1]))
    asyncio.run(open_and_close(empty_database, migrations=[*load_migrations()[:1], NEXT]))
    assert beside(empty_database).ask(VERSION) == [(2,)]
    assert beside(empty_database).ask(NEXT_THING) == [(True,)]


def test_an_upgrade_takes_as_long_as_it_takes(empty_database: PostgresPlace) -> None:
    slow = Migration(number=2, name="slow", script=f"SELECT pg_sleep(4.6); {NEXT.script}")
    asyncio.run(open_and_close(empty_database, migrations=load_migrations()[:1]))
    asyncio.run(open_and_close(empty_database, migrations=[*load_migrations()[:1], slow]))
    assert beside(empty_database).ask(NEXT_THING) == [(True,)]


def test_an_upgrade_that_fails_leaves_the_store_untouched(empty_database: PostgresPlace) -> None:
    asyncio.run(open_and_close(empty_database, migrations=load_migrations()[:1]))
    assert "TABEL" in refusal(empty_database, migrations=[*load_migrations()[:1], BROKEN])
    assert beside(empty_database).ask(VERSION) == [(1,)]
    assert beside(empty_database).ask(NEXT_THING) == [(False,)]


def test_an_older_store_is_not_upgraded_under_a_running_service(empty_database: PostgresPlace) -> None:
    asyncio.run(open_and_close(empty_database, migrations=load_migrations()[:1]))
    newer = [*load_migrations()[:1], NEXT]
    assert "restart the service" in refusal(empty_database, migrations=newer, may_upgrade=False)
    assert beside(empty_database).ask(VERSION) == [(1,)]


def test_a_newer_store_is_refused(empty_database: PostgresPlace) -> None:
    asyncio.run(open_and_close(empty_database, migrations=[*load_migrations()[:1], NEXT]))
    assert "newer version" in refusal(empty_database, migrations=load_migrations()[:1])


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TABLE theirs (id INTEGER)",
        "CREATE TABLE store_version (program TEXT, version BIGINT)",
    ],
)
def test_another_programs_database_is_refused_and_not_changed(
    empty_database: PostgresPlace, made: str
) -> None:
    beside(empty_database).ask(made)
    assert "another program" in refusal(empty_database)
    assert beside(empty_database).ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(1,)]


def test_a_database_of_another_encoding_is_refused(postgresql: PostgresServer) -> None:
    postgresql.ask("CREATE DATABASE latin TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    assert "encoding SQL_ASCII" in refusal(postgresql.place("latin"))


def test_a_user_without_the_right_to_create_tables_gets_advice(
    postgresql: PostgresServer, empty_database: PostgresPlace
) -> None:
    postgresql.ask(f"CREATE ROLE visitor LOGIN PASSWORD '{PASSWORD}'")
    try:
        visitor = PostgresPlace(Secret(empty_database.url.reveal().replace("//app:", "//visitor:")))
        assert "must own the database" in refusal(visitor)
    finally:
        postgresql.ask("DROP ROLE visitor")


def test_a_database_that_is_read_only_by_default_is_written(
    postgresql: PostgresServer, empty_database: PostgresPlace
) -> None:
    asyncio.run(open_and_close(empty_database))
    name = empty_database.url.reveal().rpartition("/")[2]
    postgresql.ask(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    asyncio.run(open_and_close(empty_database))  # its own connections say what they are for


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://app:{password}@127.0.0.1:{port}/nowhere", "does not exist"),
        ("postgresql://app:wrong-{password}@127.0.0.1:{port}/postgres", "password authentication failed"),
        ("postgresql://app:{password}@127.0.0.1:1/store", "refused"),
        ("postgresql://app:{password}%zz@127.0.0.1:{port}/store", "libpq can't read the URL"),
        ("postgresql://app:{password}@127.0.0.1:{port}/store?nonsense=1", "libpq can't read the URL"),
    ],
)
def test_an_unreachable_database_is_reported_without_its_password(
    postgresql: PostgresServer, url: str, told: str
) -> None:
    place = PostgresPlace(Secret(url.format(password=PASSWORD, port=postgresql.port)))
    text = refusal(place)
    assert told in text
    assert "STORE_URL" in text
