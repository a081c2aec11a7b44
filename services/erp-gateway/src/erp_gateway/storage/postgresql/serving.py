"""Which process serves: a lock that a connection of its own holds until the process ends, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg

from erp_gateway.storage.errors import StoreInUse, StoreNotUsable
from erp_gateway.storage.places import PostgresPlace
from erp_gateway.storage.postgresql.connection import connect
from erp_gateway.storage.postgresql.locks import LOCK_SPACE, SERVING
from erp_gateway.storage.postgresql.opening import explained

_HOLDER: Final = """
SELECT coalesce(seen.application_name, ''), seen.client_addr::text
FROM pg_locks AS held LEFT JOIN pg_stat_activity AS seen USING (pid)
WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 2
  AND held.classid::bigint = %s AND held.objid::bigint = %s
  AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@contextmanager
def hold_serving_lock(place: PostgresPlace) -> Iterator[psycopg.Connection[Any]]:
    """Hold the lock of the process that serves for as long as the block runs.

    The server frees it when the connection ends. It stands aside from the store's other connections, so that
    nothing that happens to those frees it.

    Raises:
        StoreInUse: another process holds it.
        StoreNotUsable: the server can't be reached.
    """
    try:
        connection = connect(place, "lock")
    except psycopg.Error as error:
        raise StoreNotUsable(explained(place, error)) from error
    try:
        if not _take(connection, place):
            raise StoreInUse(
                f"{place} is in use by {_holder(connection, place)}; only one process may serve a store"
            )
        yield connection
    finally:
        connection.close()


def _take(connection: psycopg.Connection[Any], place: PostgresPlace) -> bool:
    try:
        ((taken,),) = connection.execute(
            "SELECT pg_try_advisory_lock(%s, %s)", (LOCK_SPACE, SERVING)
        ).fetchall()
    except psycopg.Error as error:
        raise StoreNotUsable(explained(place, error)) from error
    return bool(taken)


def who_serves(connection: psycopg.Connection[Any]) -> str | None:
    """Return who holds the lock, without touching it; None where nobody does.

    Raises:
        psycopg.Error: the server refused.
    """
    rows = connection.execute(_HOLDER, (LOCK_SPACE, SERVING)).fetchall()
    if not rows:
        return None
    name, address = rows[0]
    if not name:  # the role may not see it
        return "another process"
    return f"{name} from {address}" if address else str(name)


def _holder(connection: psycopg.Connection[Any], place: PostgresPlace) -> str:
    try:
        return who_serves(connection) or "another process"  # or it has just gone
    except psycopg.Error as error:
        raise StoreNotUsable(explained(place, error)) from error
