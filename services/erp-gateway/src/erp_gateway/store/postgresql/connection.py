"""A connection to PostgreSQL and its thread: pieces of work run there whole, one after another.

A connection that was lost is made anew for the next piece of work. A server that answers nothing, since it
was stopped, is left by cutting the connection: nothing else would wake who waits for it. Patience is counted
anew for each statement: a piece of work may have many, and may have waited long for its turn.
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
"""How long a server that could not be reached is left alone."""

_PATIENCE_MARGIN_S: Final = 1.0
_DEFAULTS: Final = {
    "connect_timeout": 2,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,
}
"""A line that was cut is noticed within seconds, also right after an answer; the URL may ask otherwise."""

_FOLLOWS: Final = "hot standby"
"""What libpq says of a server that it passes over, in English: this process sets no language."""

_log = structlog.get_logger(__name__)


class _Connection(psycopg.Connection[StoredRow]):
    """Keeps in `asked_at` when the server was last asked something, on the clock that only goes forward."""

    asked_at = -math.inf

    @override
    def wait(self, gen: PQGen[T], *args: Any, **named: Any) -> T:
        self.asked_at = time.monotonic()
        return super().wait(gen, *args, **named)


class Line:
    """A thread and its connection; use `open_line`.

    Args:
        place: the database.
        purpose: what the server's own views tell of the connection.
        read_only: whether statements that change something are refused.
        statement_timeout_s: how long one statement may take.
        lock_timeout_s: how long it waits for a lock.
        pause_s: how long a server that could not be reached is left alone.
        may_follow: whether a server that only follows another one will do where none takes writes.
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
        may_follow: bool = False,
    ) -> None:
        self._connect = partial(
            connect,
            place,
            purpose,
            read_only=read_only,
            statement_timeout_s=statement_timeout_s,
            lock_timeout_s=lock_timeout_s,
            may_follow=may_follow,
        )
        self._pause_s = pause_s
        self._purpose = purpose
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"store-{purpose}")
        self._connection: _Connection | None = None
        self._refused: psycopg.Error | None = None
        self._next_attempt = 0.0
        self._patience_s = statement_timeout_s + _PATIENCE_MARGIN_S
        self._began_at = math.inf  # the running piece of work; never where none runs, or it may take long
        self._cut_at = -math.inf

    async def run(self, work: Callable[[], T], *, may_take_long: bool = False) -> T:
        """Run `work` on the thread; what it raises is raised here.

        Where one of its statements takes longer than it may, the connection is cut, unless the work may take
        long. Whoever waits looks after the piece of work that runs, whose own caller may have left.
        """
        working = asyncio.get_running_loop().run_in_executor(self._thread, self._timed, work, may_take_long)
        try:
            while not (await asyncio.wait({working}, timeout=self._patience_left_s()))[0]:
                if not self._patience_left_s():
                    self._cut()
        except asyncio.CancelledError:
            working.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        return working.result()

    def connection(self) -> psycopg.Connection[StoredRow]:
        """Return the connection, made anew where it was lost; for the thread alone.

        Raises:
            psycopg.OperationalError: the server can't be reached, or could not a moment ago.
        """
        if self._connection is None or self._connection.closed:
            self.drop()
            if self._refused is not None and time.monotonic() < self._next_attempt:
                raise psycopg.OperationalError(str(self._refused)) from self._refused
            try:
                self._connection = self._connect()
            except psycopg.Error as error:
                self._refused, self._next_attempt = error, time.monotonic() + self._pause_s
                raise
            self._refused = None
        return self._connection

    @property
    def is_lost(self) -> bool:
        """Whether there is no connection any more."""
        return self._connection is None or self._connection.closed

    def drop(self) -> None:
        """Close the connection, if there is one; for the thread alone."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    async def aclose(self) -> None:
        """Close the connection and end the thread."""
        await self.run(self.drop)
        self._thread.shutdown(wait=False)

    def _timed(self, work: Callable[[], T], may_take_long: bool) -> T:
        self._began_at = math.inf if may_take_long else time.monotonic()
        try:
            return work()
        finally:
            self._began_at = math.inf

    def _patience_left_s(self) -> float:
        connection = self._connection
        asked_at = -math.inf if connection is None else connection.asked_at
        since = max(self._began_at, asked_at, self._cut_at)
        return min(self._patience_s, max(0.0, since + self._patience_s - time.monotonic()))

    def _cut(self) -> None:
        self._cut_at = time.monotonic()
        connection = self._connection
        if connection is None:
            return  # it is being made, which takes as long as it may
        _log.error("store_connection_cut", purpose=self._purpose, after_s=self._patience_s)
        with (
            suppress(OSError, psycopg.Error),
            closing(socket.socket(fileno=os.dup(connection.fileno()))) as wire,
        ):
            wire.shutdown(socket.SHUT_RDWR)


@asynccontextmanager
async def open_line(line: Line) -> AsyncIterator[Line]:
    """Open a connection, and close it and end its thread on leaving.

    Raises:
        psycopg.Error: it can't be opened.
    """
    try:
        await finish(line.run(line.connection))
        yield line
    finally:
        await finish(line.aclose())


def connect(
    place: PostgresPlace,
    purpose: str,
    *,
    read_only: bool = False,
    statement_timeout_s: float = 0.0,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
    may_follow: bool = False,
) -> _Connection:
    """Make one connection, on the thread that calls.

    Args:
        place: the database.
        purpose: what the server's own views tell of it.
        read_only: whether statements that change something are refused.
        statement_timeout_s: how long one statement may take; 0 for ever.
        lock_timeout_s: how long it waits for a lock.
        may_follow: whether a server that only follows another one will do where none takes writes.

    Raises:
        psycopg.Error: it can't be made. Its text may tell host, user and database, never the password.
    """
    # not "read-write": a database that only reads by default is written all the same
    asked: dict[str, Any] = {**_DEFAULTS, "target_session_attrs": "primary", **_parameters(place)}
    asked |= {"client_encoding": "UTF8", "application_name": application_name(purpose)}
    try:
        connection = _open(asked)
    except psycopg.OperationalError as error:
        if not may_follow or _FOLLOWS not in str(error):
            raise
        connection = _open({**asked, "target_session_attrs": "any"})
    try:
        adapt(connection)
        # in one round trip: texts and numbers of ours alone
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


def _open(asked: dict[str, Any]) -> _Connection:
    return _Connection.connect(autocommit=True, row_factory=make_rows, **asked)


def _parameters(place: PostgresPlace) -> dict[str, Any]:
    try:
        return conninfo_to_dict(place.url.reveal())
    except psycopg.ProgrammingError:  # its text may hold a part of the password
        raise psycopg.OperationalError("libpq can't read the URL") from None


def application_name(purpose: str) -> str:
    """Return what the server's own views call a connection of this process."""
    return f"erp-gateway {purpose}, process {os.getpid()} on {socket.gethostname()}"[:63]
