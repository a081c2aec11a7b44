"""The lock in a database of PostgreSQL: a session's advisory lock on a connection of its own.

The server frees it when the connection ends, also where its holder does not: a holder that is frozen is left
after `IDLE_S` without a question, a line that was cut by keepalives and `tcp_user_timeout`.

A refused connection speaks for the way alone: a relay that was stopped refuses too, while the server gives
the lock to others. That the server is down is believed where it ended the connection that held the lock by
its own word, and that connection had nothing between its ends: no relay that may come back later than it.
"""

import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager, suppress
from typing import Any, Final, TypeVar

import psycopg
import structlog

from erp_gateway.store.errors import StoreInUse, StoreNotUsable
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.connection import Line, application_name, connect
from erp_gateway.store.postgresql.dialect import LOCK_SPACE, SERVING
from erp_gateway.store.postgresql.opening import explained
from erp_gateway.store.serving_lock import LockServerAway, LockServerDown, LockServerSilent, Taken
from servicekit.tasks import finish

T = TypeVar("T")

IDLE_S: Final = 5.0
"""After so long without a question the server ends the connection; from PostgreSQL 14 on."""

ANSWER_S: Final = 1.0
"""How long a question may take."""

_PURPOSE: Final = "lock"
_IDLE_SINCE_VERSION: Final = 140_000
_SAYS_IT_IS_DOWN: Final = (
    "Connection refused",
    "the database system is starting up",
    "the database system is in recovery mode",
)
"""Nobody is connected then. While it is "shutting down", who is connected may stay."""

_EACH_ATTEMPT: Final = "\n- host: "
"""What psycopg begins the failure of each address with, where it tried some."""

_OUTLIVES_A_CRASH: Final = """
SELECT set_config('synchronous_commit', 'local', false) WHERE current_setting('synchronous_commit') = 'off'
"""
"""Who took the lock last must be known after a crash of the server too, whatever is asked for records.

The server's own disk is enough: with `on` it would wait for a replica too, that nobody else waits for.
"""

_TAKE: Final = "SELECT pg_try_advisory_lock(%s, %s)"
_GIVE: Final = "SELECT pg_advisory_unlock(%s, %s)"
_COUNT: Final = (
    "INSERT INTO serving (id, generation, released) VALUES (1, 1, 0) ON CONFLICT (id) "
    "DO UPDATE SET generation = serving.generation + 1, released = 0 RETURNING generation"
)
_KEEP: Final = "UPDATE serving SET released = 0 WHERE id = 1 AND generation = %s RETURNING generation"
_KEEP_UNCOUNTED: Final = (
    "INSERT INTO serving (id, generation, released) VALUES (1, 1, 0) ON CONFLICT (id) DO NOTHING "
    "RETURNING generation"
)
"""Both change something: a server that only follows another one keeps no lock that counts."""

_ENDS: Final = """
SELECT host(inet_client_addr()), inet_client_port(), host(inet_server_addr()), inet_server_port()
"""
_WAS_RELEASED: Final = "SELECT COALESCE((SELECT released FROM serving WHERE id = 1), 0)"
_SET_RELEASED: Final = """
INSERT INTO serving (id, generation, released) VALUES (1, 0, 1) ON CONFLICT (id) DO UPDATE SET released = 1
"""
_END_EARLIER: Final = """
SELECT pg_terminate_backend(held.pid)
FROM pg_locks AS held JOIN pg_stat_activity AS seen ON seen.pid = held.pid
WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 2
  AND held.classid::bigint = %s AND held.objid::bigint = %s AND held.pid = %s AND seen.application_name = %s
"""
"""Ends a connection of this process that it has lost, and the server has not noticed yet."""

_log = structlog.get_logger(__name__)


class PostgresLock:
    """See `ServingLock`; use `open_postgres_lock`.

    Args:
        line: a connection for this alone.
        is_one: whether all connections lead to the same server: it has one address.
    """

    def __init__(self, line: Line, *, is_one: bool) -> None:
        self._line = line
        self._is_one = is_one
        self._ready: psycopg.Connection[Any] | None = None
        self._held_on: psycopg.Connection[Any] | None = None
        self._held_by = 0
        self._is_direct = False
        self._was_direct = False  # the connection that held it
        self._was_told = False  # that the server ends that connection
        self._generation = 0

    async def take(self) -> Taken | None:
        """See `ServingLock.take`."""
        return await self._run(self._take)

    async def keeps(self) -> bool:
        """See `ServingLock.keeps`."""
        return await self._run(self._keeps)

    async def confirm(self) -> bool:
        """See `ServingLock.confirm`."""
        return await self._run(self._confirm)

    async def release(self) -> None:
        """See `ServingLock.release`."""
        try:
            await finish(self._run(self._release))
        except LockServerAway as error:
            _log.warning("lock_not_released", reason=str(error))

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await self._line.run(work)
        except psycopg.Error as error:
            is_down = self._was_told and self._was_direct and self._is_one and says_down(str(error))
            told = " ".join(str(error).split())
            raise (LockServerDown if is_down else LockServerSilent)(told) from error

    def _connection(self) -> psycopg.Connection[Any]:
        connection = self._line.connection()
        if connection is not self._ready:
            if connection.info.server_version >= _IDLE_SINCE_VERSION:
                connection.execute(f"SET idle_session_timeout = {IDLE_S * 1000:.0f}".encode())
            connection.execute(_OUTLIVES_A_CRASH)
            self._is_direct = _is_direct(connection)
            self._was_told = False  # the server takes connections: it is not down any more
            self._ready = connection
        return connection

    def _take(self) -> Taken | None:
        connection = self._connection()
        if not _ask(connection, _TAKE):
            return None
        try:
            was_released = bool(_ask(connection, _WAS_RELEASED, ()))
            generation = _ask(connection, _COUNT, ())
        except psycopg.errors.UndefinedTable:  # a store of an earlier version, or none yet
            was_released, generation = False, 0
        except psycopg.Error:
            self._line.drop()
            raise
        self._hold(connection, generation)
        return Taken(was_released=was_released)

    def _keeps(self) -> bool:
        held = self._held_on
        if held is None or held.closed:
            return False
        held.execute("SELECT 1")
        return True

    def _confirm(self) -> bool:
        try:
            if self._keeps():
                return True
        except psycopg.OperationalError as error:
            if not self._line.is_lost:
                raise
            self._was_told = isinstance(error, psycopg.errors.AdminShutdown)
        return self._take_again(self._connection())

    def _take_again(self, connection: psycopg.Connection[Any]) -> bool:
        if not _ask(connection, _TAKE):
            ours = (LOCK_SPACE, SERVING, self._held_by, application_name(_PURPOSE))
            if not connection.execute(_END_EARLIER, ours).fetchall():
                return False
            raise psycopg.OperationalError("an earlier connection of this process is being ended")
        self._held_by = connection.info.backend_pid
        try:
            kept = (
                connection.execute(_KEEP.encode(), (self._generation,))
                if self._generation
                else connection.execute(_KEEP_UNCOUNTED.encode())
            ).fetchall()
        except psycopg.Error:
            self._line.drop()
            raise
        if not kept:
            self._line.drop()
            return False
        self._hold(connection, kept[0][0])
        _log.warning("lock_taken_again")
        return True

    def _release(self) -> None:
        connection = self._line.connection()
        if connection is self._held_on:
            connection.execute(_SET_RELEASED)
            _ask(connection, _GIVE)
        self._held_on = None

    def _hold(self, connection: psycopg.Connection[Any], generation: int) -> None:
        self._held_on, self._held_by, self._generation = connection, connection.info.backend_pid, generation
        self._was_direct, self._was_told = self._is_direct, False


def _ask(
    connection: psycopg.Connection[Any], sql: str, values: tuple[object, ...] = (LOCK_SPACE, SERVING)
) -> Any:
    ((found,),) = connection.execute(sql.encode(), values).fetchall()
    return found


def _is_direct(connection: psycopg.Connection[Any]) -> bool:
    """Tell whether both ends see the same addresses: no relay, and no other address for the same server."""
    seen = tuple(connection.execute(_ENDS.encode()).fetchall()[0])
    with suppress(OSError), closing(socket.socket(fileno=os.dup(connection.fileno()))) as wire:
        return seen == (*wire.getsockname()[:2], *wire.getpeername()[:2])
    return False


def says_down(told: str) -> bool:
    """Tell whether each address of the server that was tried says that nobody is connected."""
    return all(any(text in each for text in _SAYS_IT_IS_DOWN) for each in told.split(_EACH_ATTEMPT))


@asynccontextmanager
async def open_postgres_lock(place: PostgresPlace) -> AsyncIterator[PostgresLock]:
    """Open a connection for the lock, and close it on leaving, which frees the lock in any case.

    A server that can't be reached yet is waited for: that is found out with the first question.
    """
    line = Line(
        place, _PURPOSE, read_only=False, statement_timeout_s=ANSWER_S, lock_timeout_s=ANSWER_S, pause_s=0.0
    )
    try:
        yield PostgresLock(line, is_one="," not in place.url.reveal())
    finally:
        await finish(line.aclose())


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
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(closing(connect(place, _PURPOSE)))
            taken = _ask(connection, _TAKE)
            holder = None if taken else who_serves(connection) or "another process"  # or it has just gone
        except psycopg.Error as error:
            raise StoreNotUsable(explained(place, error)) from error
        if holder is not None:
            raise StoreInUse(f"{place} is in use by {holder}; only one process may serve a store")
        yield connection


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
