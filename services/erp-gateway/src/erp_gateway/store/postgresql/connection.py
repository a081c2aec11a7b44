"""A connection to PostgreSQL and its thread, which runs pieces of work one after another.

A lost connection is replaced for the next piece of work. If a server stops replying, the socket is shut down,
because nothing else would wake the waiting thread. The time limit applies to each statement: a piece of work
may have many, and may have waited long in the queue.
"""

import asyncio
import math
import os
import socket
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from typing import Any, Final, TypeVar

import psycopg
import structlog
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from typing_extensions import override

from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.postgresql.dialect import StoredRow, adapt, make_rows
from servicekit.tasks import finish

T = TypeVar("T")

LOCK_TIMEOUT_S: Final = 1.0
IDLE_IN_TRANSACTION_S: Final = 2.0
PAUSE_S: Final = 1.0
"""Pause between attempts to reach a server."""

_LIMIT_MARGIN_S: Final = 1.0
# Detect a broken network within seconds, even right after a reply; the URL may override these.
_DEFAULTS: Final = {
    "connect_timeout": 2,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,
}

# Part of libpq's message for a replica. It is English, because this process sets no language.
_REPLICA: Final = "hot standby"

_log = structlog.get_logger(__name__)


class _Connection(psycopg.Connection[StoredRow]):
    """Connection that records in `last_sent_at` when a statement was last sent, on the monotonic clock."""

    last_sent_at = -math.inf

    @override
    def wait(self, gen: PQGen[T], *args: Any, **named: Any) -> T:
        self.last_sent_at = time.monotonic()
        return super().wait(gen, *args, **named)


class Connector:
    """A thread and its connection; use `open_connector`.

    Args:
        place: the database.
        purpose: shown in the server's views.
        read_only: whether changing statements are refused.
        statement_timeout_s: longest time of one statement.
        lock_timeout_s: longest wait of a statement for a lock.
        pause_s: pause between attempts to reach a server.
        allow_replica: whether to accept a replica if there is no primary.
    """

    failure: Final = psycopg.Error

    def __init__(
        self,
        place: PostgresPlace,
        purpose: str,
        *,
        read_only: bool,
        statement_timeout_s: float,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
        pause_s: float = PAUSE_S,
        allow_replica: bool = False,
    ) -> None:
        self._connect = partial(
            connect,
            place,
            purpose,
            read_only=read_only,
            statement_timeout_s=statement_timeout_s,
            lock_timeout_s=lock_timeout_s,
            allow_replica=allow_replica,
        )
        self._pause_s = pause_s
        self._purpose = purpose
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"store-{purpose}")
        self._connection: _Connection | None = None
        self._last_error: psycopg.Error | None = None
        self._next_attempt = 0.0
        self._limit_s = statement_timeout_s + _LIMIT_MARGIN_S
        self._started_at = math.inf  # infinite if no work runs, or the running one may take long
        self._cut_at = -math.inf

    async def run(self, work: Callable[[], T], *, may_take_long: bool = False) -> T:
        """Run `work` on the thread; its exceptions are raised here.

        If one of its statements exceeds the limit, the connection is cut, unless `may_take_long` is set.
        Every waiting caller watches the running piece of work, because the caller of that piece may have been
        cancelled.
        """
        running = asyncio.get_running_loop().run_in_executor(
            self._thread, self._run_timed, work, may_take_long
        )
        try:
            while not (await asyncio.wait({running}, timeout=self._time_left_s()))[0]:
                if not self._time_left_s():
                    self._cut()
        except asyncio.CancelledError:
            running.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        return running.result()

    def connection(self) -> psycopg.Connection[StoredRow]:
        """Return the connection, replaced if it was lost; only for the thread.

        Raises:
            psycopg.OperationalError: the server can't be reached, or could not be a moment ago.
        """
        if self._connection is None or self._connection.closed:
            self.drop()
            if self._last_error is not None and time.monotonic() < self._next_attempt:
                raise psycopg.OperationalError(str(self._last_error)) from self._last_error
            try:
                self._connection = self._connect()
            except psycopg.Error as error:
                self._last_error, self._next_attempt = error, time.monotonic() + self._pause_s
                raise
            self._last_error = None
        return self._connection

    @property
    def is_lost(self) -> bool:
        """True if there is no connection."""
        return self._connection is None or self._connection.closed

    def drop(self) -> None:
        """Close the connection, if there is one; only for the thread."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    async def aclose(self) -> None:
        """Close the connection and end the thread."""
        await self.run(self.drop)
        self._thread.shutdown(wait=False)

    def _run_timed(self, work: Callable[[], T], may_take_long: bool) -> T:
        self._started_at = math.inf if may_take_long else time.monotonic()
        try:
            return work()
        finally:
            self._started_at = math.inf

    def _time_left_s(self) -> float:
        connection = self._connection
        last_sent_at = -math.inf if connection is None else connection.last_sent_at
        since = max(self._started_at, last_sent_at, self._cut_at)
        return min(self._limit_s, max(0.0, since + self._limit_s - time.monotonic()))

    def _cut(self) -> None:
        self._cut_at = time.monotonic()
        connection = self._connection
        if connection is None:
            return  # the connection is being opened, which has its own timeout
        _log.error("store_connection_cut", purpose=self._purpose, after_s=self._limit_s)
        with (
            suppress(OSError, psycopg.Error),
            closing(socket.socket(fileno=os.dup(connection.fileno()))) as wire,
        ):
            wire.shutdown(socket.SHUT_RDWR)


@asynccontextmanager
async def open_connector(connector: Connector) -> AsyncIterator[Connector]:
    """Open a connection; close it and end its thread on leaving.

    Raises:
        psycopg.Error: it can't be opened.
    """
    try:
        await finish(connector.run(connector.connection))
        yield connector
    finally:
        await finish(connector.aclose())


def connect(
    place: PostgresPlace,
    purpose: str,
    *,
    read_only: bool = False,
    statement_timeout_s: float = 0.0,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
    allow_replica: bool = False,
) -> _Connection:
    """Open one connection, on the calling thread.

    Args:
        place: the database.
        purpose: shown in the server's views.
        read_only: whether changing statements are refused.
        statement_timeout_s: longest time of one statement; 0 for no limit.
        lock_timeout_s: longest wait of a statement for a lock.
        allow_replica: whether to accept a replica if there is no primary.

    Raises:
        psycopg.Error: it can't be opened. The message may have host, user and database, never the password.
    """
    # Not "read-write": libpq would skip a primary whose transactions are read-only by default, which this
    # connection overrides.
    parameters: dict[str, Any] = {**_DEFAULTS, "target_session_attrs": "primary", **_parameters(place)}
    parameters |= {"client_encoding": "UTF8", "application_name": application_name(purpose)}
    try:
        connection = _open(parameters)
    except psycopg.OperationalError as error:
        if not allow_replica or _REPLICA not in str(error):
            raise
        connection = _open({**parameters, "target_session_attrs": "any"})
    try:
        adapt(connection)
        # One round trip. All values are constants or numbers of this program, so no quoting is needed.
        connection.execute(
            f"SET lock_timeout = {lock_timeout_s * 1000:.0f}; "
            f"SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_S * 1000:.0f}; "
            f"SET statement_timeout = {statement_timeout_s * 1000:.0f}; "
            "SET default_transaction_isolation = 'read committed'; "
            f"SET default_transaction_read_only = {'on' if read_only else 'off'}; "
            "SET TimeZone = 'UTC'"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _open(parameters: dict[str, Any]) -> _Connection:
    return _Connection.connect(autocommit=True, row_factory=make_rows, **parameters)


def _parameters(place: PostgresPlace) -> dict[str, Any]:
    try:
        return conninfo_to_dict(place.url.reveal())
    except psycopg.ProgrammingError:  # the message may quote a part of the password
        raise psycopg.OperationalError("libpq can't read the URL") from None


def application_name(purpose: str) -> str:
    """Return the name of this process's connection in the server's views."""
    return f"erp-gateway {purpose}, process {os.getpid()} on {socket.gethostname()}"[:63]
