"""Open the store's database: reject it if it is not ours, upgrade it if it is older."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import psycopg
import structlog

from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.migrations import Migration, plan_upgrade
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.connection import LOCK_TIMEOUT_S, Connector, open_connector
from erp_gateway.store.postgresql.dialect import LOCK_SPACE, WRITING, translate_script
from erp_gateway.store.postgresql.engine import READ_TIMEOUT_S, WRITE_TIMEOUT_S, PostgresEngine

PROGRAM: Final = "erp-gateway"
"""Identifies the table `store_version` as ours."""

MIN_VERSION: Final = 130_000
"""PostgreSQL 13: `pg_xact_status(xid8)`, used to resolve a lost commit, exists since then."""

_LOCK_WRITING: Final = f"SELECT pg_advisory_xact_lock({LOCK_SPACE}, {WRITING})"

_NEW: Final = """
CREATE TABLE store_version (program TEXT NOT NULL PRIMARY KEY, version BIGINT NOT NULL);
INSERT INTO store_version (program, version) VALUES ('erp-gateway', 0);
-- Every transaction that writes draws a number, so that others see that there was one.
CREATE SEQUENCE store_changes;
SELECT nextval('store_changes');
"""

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_postgresql(
    place: PostgresPlace,
    migrations: Sequence[Migration],
    *,
    may_upgrade: bool,
    may_create: bool = True,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
) -> AsyncIterator[PostgresEngine]:
    """Open the store in this database, and close it on leaving; see `database.open_database`.

    Raises:
        StoreNotUsable: unreachable, insufficient rights, not a store, or written by a newer version.
    """
    async with AsyncExitStack() as stack:
        try:
            writing = Connector(
                place,
                "writer",
                read_only=False,
                statement_timeout_s=WRITE_TIMEOUT_S,
                lock_timeout_s=lock_timeout_s,
            )
            writer = await stack.enter_async_context(open_connector(writing))
            pending = await writer.run(
                lambda: _find_pending(
                    writer, place, migrations, may_upgrade=may_upgrade, may_create=may_create
                )
            )
            if pending:
                await writer.run(lambda: _upgrade(writer, place, migrations), may_take_long=True)
            reading = Connector(place, "reader", read_only=True, statement_timeout_s=READ_TIMEOUT_S)
            reader = await stack.enter_async_context(open_connector(reading))
            engine = PostgresEngine(writer, reader)
            await engine.commit([])  # fails now if the store cannot be written
        except psycopg.Error as error:
            raise StoreNotUsable(explain_error(place, error)) from error
        yield engine


def explain_error(place: PostgresPlace, error: psycopg.Error) -> str:
    """Return the message for a database that can't be used."""
    reason = " ".join(str(error).split())
    advice = "STORE_URL must name a database of this service's own that takes connections"
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        advice = "the user of STORE_URL must own the database, or be allowed to create tables in its schema"
    return f"cannot use the store {place}: {reason}; {advice}"


def _find_pending(
    connector: Connector,
    place: PostgresPlace,
    migrations: Sequence[Migration],
    *,
    may_upgrade: bool,
    may_create: bool,
) -> Sequence[Migration]:
    """Return the migrations that the store needs; reject a database that can't be the store."""
    connection = connector.connection()
    _reject_unfit(connection, place)
    pending = _pending(connection, place, migrations)
    if not pending:
        return ()
    if not may_create and _version(connection, place) is None:
        raise StoreNotUsable(
            f"there is no store at {place}; STORE_URL names it, and the first start makes it"
        )
    if not may_upgrade:
        raise StoreNotUsable(
            f"the store {place} is older than this program, but the running service still uses it; restart "
            "the service with this version first"
        )
    return pending


def _upgrade(connector: Connector, place: PostgresPlace, migrations: Sequence[Migration]) -> None:
    connection = connector.connection()
    with connection.transaction():
        connection.execute(_LOCK_WRITING)
        connection.execute("SET LOCAL statement_timeout = 0")
        pending = _pending(connection, place, migrations)  # another process may have upgraded it just now
        if not pending:
            return
        version = _version(connection, place)
        if version is None:
            connection.execute(_NEW.encode())
        for migration in pending:
            connection.execute(translate_script(migration.script).encode())
        connection.execute(
            "UPDATE store_version SET version = %s WHERE program = %s", (pending[-1].number, PROGRAM)
        )
    _log.info("store_upgraded", place=str(place), from_version=version or 0, to_version=pending[-1].number)


def _reject_unfit(connection: psycopg.Connection[Any], place: PostgresPlace) -> None:
    if connection.info.server_version < MIN_VERSION:
        raise StoreNotUsable(f"the store {place} is on a PostgreSQL older than 13; upgrade the server")
    ((encoding, schema),) = connection.execute(
        "SELECT current_setting('server_encoding'), current_schema()"
    ).fetchall()
    if encoding != "UTF8":
        raise StoreNotUsable(
            f"the database of the store {place} has the encoding {encoding}; create it with ENCODING 'UTF8'"
        )
    if schema is None:
        raise StoreNotUsable(f"no schema of the database of the store {place} exists or may be used")


def _pending(
    connection: psycopg.Connection[Any], place: PostgresPlace, migrations: Sequence[Migration]
) -> Sequence[Migration]:
    version = _version(connection, place) or 0
    try:
        return plan_upgrade(version, migrations)
    except LookupError as error:
        raise StoreNotUsable(
            f"the store {place} was written by a newer version of this program (store version {version}, "
            f"this program knows {len(migrations)}); start that version, or restore a backup made before it"
        ) from error


def _version(connection: psycopg.Connection[Any], place: PostgresPlace) -> int | None:
    """Return the store's version, None for an empty database."""
    tables = {
        row[0]
        for row in connection.execute(
            "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()"
        )
    }
    if not tables:
        return None
    if "store_version" in tables:
        rows = connection.execute(
            "SELECT version FROM store_version WHERE program = %s", (PROGRAM,)
        ).fetchall()
        if rows:
            return int(rows[0][0])
    raise StoreNotUsable(f"{place} is a database of another program; STORE_URL must name one of its own")
