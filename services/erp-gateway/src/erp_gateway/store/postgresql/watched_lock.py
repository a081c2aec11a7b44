"""Serving lock in a PostgreSQL database: a session's advisory lock on its own connection.

The server frees the lock when the connection ends, even if the client does not end it: a frozen holder loses
it after `IDLE_S` without a statement, a broken network ends it by keepalives and `tcp_user_timeout`.

A refused connection alone does not prove that the server is down: a stopped relay refuses too, while the
server gives the lock to another process. The server counts as down only if it announced the end of the
connection that held the lock, and that connection was direct, without a relay that may come back later.
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
from erp_gateway.store.postgresql.connection import Connector, application_name, connect
from erp_gateway.store.postgresql.dialect import LOCK_SPACE, SERVING
from erp_gateway.store.postgresql.opening import explain_error
from erp_gateway.store.serving_lock import LockServerAway, LockServerDown, LockServerSilent, Taken
from servicekit.tasks import finish

T = TypeVar("T")

IDLE_S: Final = 5.0
"""Idle time after which the server ends the connection; needs PostgreSQL 14."""

ANSWER_S: Final = 1.0
"""Longest time of a statement."""

_PURPOSE: Final = "lock"
_IDLE_TIMEOUT_VERSION: Final = 140_000
# With these messages there are no connections. While "shutting down", existing ones may stay.
_DOWN_MESSAGES: Final = (
    "Connection refused",
    "the database system is starting up",
    "the database system is in recovery mode",
)

# psycopg starts the error of each address with this if it tried several.
_ATTEMPT_SEPARATOR: Final = "\n- host: "

# The generation of the lock must survive a crash of the server, even if records may be lost.
#
# The server's own disk is enough: with `on`, a commit would also wait for a synchronous replica.
_LOCAL_COMMIT: Final = """
SELECT set_config('synchronous_commit', 'local', false) WHERE current_setting('synchronous_commit') = 'off'
"""

_TAKE: Final = "SELECT pg_try_advisory_lock(%s, %s)"
_UNLOCK: Final = "SELECT pg_advisory_unlock(%s, %s)"
_NEW_GENERATION: Final = (
    "INSERT INTO serving (id, generation, released) VALUES (1, 1, 0) ON CONFLICT (id) "
    "DO UPDATE SET generation = serving.generation + 1, released = 0 RETURNING generation"
)
_KEEP: Final = "UPDATE serving SET released = 0 WHERE id = 1 AND generation = %s RETURNING generation"
# Both write, because a replica must not confirm the lock.
_KEEP_UNCOUNTED: Final = (
    "INSERT INTO serving (id, generation, released) VALUES (1, 1, 0) ON CONFLICT (id) DO NOTHING "
    "RETURNING generation"
)

_ADDRESSES: Final = """
SELECT host(inet_client_addr()), inet_client_port(), host(inet_server_addr()), inet_server_port()
"""
_WAS_RELEASED: Final = "SELECT COALESCE((SELECT released FROM serving WHERE id = 1), 0)"
_SET_RELEASED: Final = """
INSERT INTO serving (id, generation, released) VALUES (1, 0, 1) ON CONFLICT (id) DO UPDATE SET released = 1
"""
# Ends a connection that this process has lost but the server still considers open.
_TERMINATE_EARLIER: Final = """
SELECT pg_terminate_backend(held.pid)
FROM pg_locks AS held JOIN pg_stat_activity AS seen ON seen.pid = held.pid
WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 2
  AND held.classid::bigint = %s AND held.objid::bigint = %s AND held.pid = %s AND seen.application_name = %s
"""

_log = structlog.get_logger(__name__)


class PostgresLock:
    """See `ServingLock`; use `open_postgres_lock`.

    Args:
        connector: a connection only for this lock.
        is_single: whether the URL has one address, so that all connections reach the same server.
    """

    def __init__(self, line: Connector, *, is_single: bool) -> None:
        self._connector = line
        self._is_single = is_single
        self._ready: psycopg.Connection[Any] | None = None
        self._lock_connection: psycopg.Connection[Any] | None = None
        self._lock_pid = 0
        self._is_direct = False
        self._was_direct = False  # of the connection that held the lock
        self._was_announced = False  # the server announced the end of that connection
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
            return await self._connector.run(work)
        except psycopg.Error as error:
            is_down = (
                self._was_announced and self._was_direct and self._is_single and reports_down(str(error))
            )
            message = " ".join(str(error).split())
            raise (LockServerDown if is_down else LockServerSilent)(message) from error

    def _connection(self) -> psycopg.Connection[Any]:
        connection = self._connector.connection()
        if connection is not self._ready:
            if connection.info.server_version >= _IDLE_TIMEOUT_VERSION:
                connection.execute(f"SET idle_session_timeout = {IDLE_S * 1000:.0f}".encode())
            connection.execute(_LOCAL_COMMIT)
            self._is_direct = _is_direct(connection)
            self._was_announced = False  # The server accepts connections, so the announced shutdown is over.
            self._ready = connection
        return connection

    def _take(self) -> Taken | None:
        connection = self._connection()
        if not _select_value(connection, _TAKE):
            return None
        try:
            was_released = bool(_select_value(connection, _WAS_RELEASED, ()))
            generation = _select_value(connection, _NEW_GENERATION, ())
        except psycopg.errors.UndefinedTable:  # The table belongs to a newer version, or the store is empty.
            was_released, generation = False, 0
        except psycopg.Error:
            self._connector.drop()
            raise
        self._hold(connection, generation)
        return Taken(was_released=was_released)

    def _keeps(self) -> bool:
        connection = self._lock_connection
        if connection is None or connection.closed:
            return False
        connection.execute("SELECT 1")
        return True

    def _confirm(self) -> bool:
        try:
            if self._keeps():
                return True
        except psycopg.OperationalError as error:
            if not self._connector.is_lost:
                raise
            self._was_announced = isinstance(error, psycopg.errors.AdminShutdown)
        return self._take_again(self._connection())

    def _take_again(self, connection: psycopg.Connection[Any]) -> bool:
        if not _select_value(connection, _TAKE):
            parameters = (LOCK_SPACE, SERVING, self._lock_pid, application_name(_PURPOSE))
            if not connection.execute(_TERMINATE_EARLIER, parameters).fetchall():
                return False
            raise psycopg.OperationalError("an earlier connection of this process is being ended")
        self._lock_pid = connection.info.backend_pid
        try:
            rows = (
                connection.execute(_KEEP.encode(), (self._generation,))
                if self._generation
                else connection.execute(_KEEP_UNCOUNTED.encode())
            ).fetchall()
        except psycopg.Error:
            self._connector.drop()
            raise
        if not rows:
            self._connector.drop()
            return False
        self._hold(connection, rows[0][0])
        _log.warning("lock_taken_again")
        return True

    def _release(self) -> None:
        connection = self._connector.connection()
        if connection is self._lock_connection:
            connection.execute(_SET_RELEASED)
            _select_value(connection, _UNLOCK)
        self._lock_connection = None

    def _hold(self, connection: psycopg.Connection[Any], generation: int) -> None:
        self._lock_connection, self._lock_pid, self._generation = (
            connection,
            connection.info.backend_pid,
            generation,
        )
        self._was_direct, self._was_announced = self._is_direct, False


def _select_value(
    connection: psycopg.Connection[Any], sql: str, values: tuple[object, ...] = (LOCK_SPACE, SERVING)
) -> Any:
    ((value,),) = connection.execute(sql.encode(), values).fetchall()
    return value


def _is_direct(connection: psycopg.Connection[Any]) -> bool:
    """Return True if both ends see the same addresses, so there is no relay in between."""
    server_view = tuple(connection.execute(_ADDRESSES.encode()).fetchall()[0])
    with suppress(OSError), closing(socket.socket(fileno=os.dup(connection.fileno()))) as copy:
        return server_view == (*copy.getsockname()[:2], *copy.getpeername()[:2])
    return False


def reports_down(message: str) -> bool:
    """Return True if the error of each tried address means that the server has no connections."""
    return all(any(text in each for text in _DOWN_MESSAGES) for each in message.split(_ATTEMPT_SEPARATOR))


@asynccontextmanager
async def open_postgres_lock(place: PostgresPlace) -> AsyncIterator[PostgresLock]:
    """Open a connection for the lock; close it on leaving, which frees the lock in any case.

    An unreachable server is not an error yet; the first use of the lock reports it.
    """
    connector = Connector(
        place, _PURPOSE, read_only=False, statement_timeout_s=ANSWER_S, lock_timeout_s=ANSWER_S, pause_s=0.0
    )
    try:
        yield PostgresLock(connector, is_single="," not in place.url.reveal())
    finally:
        await finish(connector.aclose())


_HOLDER: Final = """
SELECT coalesce(seen.application_name, ''), seen.client_addr::text
FROM pg_locks AS held LEFT JOIN pg_stat_activity AS seen USING (pid)
WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 2
  AND held.classid::bigint = %s AND held.objid::bigint = %s
  AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@contextmanager
def hold_serving_lock(place: PostgresPlace) -> Iterator[psycopg.Connection[Any]]:
    """Hold the serving lock while the block runs.

    The server frees it when the connection ends. It has its own connection, so that trouble with the store's
    other connections does not free it.

    Raises:
        StoreInUse: another process has the lock.
        StoreNotUsable: the server can't be reached.
    """
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(closing(connect(place, _PURPOSE)))
            is_taken = _select_value(connection, _TAKE)
            holder = (
                None if is_taken else find_serving_process(connection) or "another process"
            )  # or it has just gone
        except psycopg.Error as error:
            raise StoreNotUsable(explain_error(place, error)) from error
        if holder is not None:
            raise StoreInUse(f"{place} is in use by {holder}; only one process may serve a store")
        yield connection


def find_serving_process(connection: psycopg.Connection[Any]) -> str | None:
    """Return the holder of the lock without touching the lock, or None.

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
