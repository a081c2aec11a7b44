"""The lock in a database of PostgreSQL: a session's advisory lock on a connection of its own.

The server frees it when the connection ends, also where its holder does not: a holder that is frozen is left
after `IDLE_S` without a question, a line that was cut by keepalives and `tcp_user_timeout`.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import psycopg
import structlog

from erp_gateway.storage.places import PostgresPlace
from erp_gateway.storage.postgresql.connection import Line, application_name
from erp_gateway.storage.postgresql.locks import LOCK_SPACE, SERVING
from erp_gateway.storage.serving_lock import LockServerAway, LockServerDown, LockServerSilent, Taken
from servicekit.tasks import finish

T = TypeVar("T")

IDLE_S: Final = 5.0
"""After so long without a question the server ends the connection; from PostgreSQL 14 on."""

ANSWER_S: Final = 1.0
"""How long a question may take."""

_PURPOSE: Final = "lock"
_IDLE_SINCE_VERSION: Final = 140_000
_SAYS_IT_IS_DOWN: Final = ("Connection refused", "the database system is ")

_TAKE: Final = "SELECT pg_try_advisory_lock(%s, %s)"
_GIVE: Final = "SELECT pg_advisory_unlock(%s, %s)"
_COUNT: Final = (
    "INSERT INTO serving (id, generation, released) VALUES (1, 1, 0) ON CONFLICT (id) "
    "DO UPDATE SET generation = serving.generation + 1, released = 0 RETURNING generation"
)
_GENERATION: Final = "SELECT COALESCE((SELECT generation FROM serving WHERE id = 1), 0)"
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
        knows_down: whether a refused connection says that the server is down: it has one address.
    """

    def __init__(self, line: Line, *, knows_down: bool) -> None:
        self._line = line
        self._knows_down = knows_down
        self._ready: psycopg.Connection[Any] | None = None
        self._held_on: psycopg.Connection[Any] | None = None
        self._held_by = 0
        self._generation: int | None = None

    async def take(self) -> Taken | None:
        """See `ServingLock.take`."""
        return await self._run(self._take)

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
            told = " ".join(str(error).split())
            is_down = self._knows_down and any(text in told for text in _SAYS_IT_IS_DOWN)
            raise (LockServerDown if is_down else LockServerSilent)(told) from error

    def _connection(self) -> psycopg.Connection[Any]:
        connection = self._line.connection()
        if connection is not self._ready:
            if connection.info.server_version >= _IDLE_SINCE_VERSION:
                connection.execute(f"SET idle_session_timeout = {IDLE_S * 1000:.0f}".encode())
            self._ready = connection
        return connection

    def _take(self) -> Taken | None:
        connection = self._connection()
        if not _ask(connection, _TAKE):
            return None
        try:
            was_released = bool(_ask(connection, _WAS_RELEASED, ()))
            self._generation = _ask(connection, _COUNT, ())
        except psycopg.errors.UndefinedTable:  # a store of an earlier version, or none yet
            was_released, self._generation = False, 0
        except psycopg.Error:
            self._line.drop()
            raise
        self._hold(connection)
        return Taken(was_released=was_released)

    def _confirm(self) -> bool:
        try:
            connection = self._connection()
            if connection is self._held_on:
                connection.execute("SELECT 1")
                return True
        except psycopg.OperationalError:
            if not self._line.is_lost:
                raise
            connection = self._connection()
        return self._take_again(connection)

    def _take_again(self, connection: psycopg.Connection[Any]) -> bool:
        if not _ask(connection, _TAKE):
            ours = (LOCK_SPACE, SERVING, self._held_by, application_name(_PURPOSE))
            if not connection.execute(_END_EARLIER, ours).fetchall():
                return False
            raise psycopg.OperationalError("an earlier connection of this process is being ended")
        if _ask(connection, _GENERATION, ()) != self._generation:
            self._line.drop()
            return False
        self._hold(connection)
        _log.warning("lock_taken_again")
        return True

    def _release(self) -> None:
        connection = self._line.connection()
        if connection is self._held_on:
            connection.execute(_SET_RELEASED)
            _ask(connection, _GIVE)
        self._held_on = None

    def _hold(self, connection: psycopg.Connection[Any]) -> None:
        self._held_on, self._held_by = connection, connection.info.backend_pid


def _ask(
    connection: psycopg.Connection[Any], sql: str, values: tuple[object, ...] = (LOCK_SPACE, SERVING)
) -> Any:
    ((found,),) = connection.execute(sql.encode(), values).fetchall()
    return found


@asynccontextmanager
async def open_postgres_lock(place: PostgresPlace) -> AsyncIterator[PostgresLock]:
    """Open a connection for the lock, and close it on leaving, which frees the lock in any case.

    A server that can't be reached yet is waited for: that is found out with the first question.
    """
    line = Line(
        place, _PURPOSE, read_only=False, statement_timeout_s=ANSWER_S, lock_timeout_s=ANSWER_S, pause_s=0.0
    )
    try:
        yield PostgresLock(line, knows_down="," not in place.url.reveal())
    finally:
        await finish(line.aclose())
