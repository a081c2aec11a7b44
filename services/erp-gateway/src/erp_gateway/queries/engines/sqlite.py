"""The engine `sqlite`: a read-only file, for trials and tests; the settings refuse it in production."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import date
from decimal import Decimal
from pathlib import Path
from threading import Event, Lock
from typing import Final

import structlog

from erp_gateway.queries.engines.engine import InterruptedReadError, Work
from erp_gateway.queries.engines.rows import Rows
from erp_gateway.queries.errors import (
    DatabaseBusy,
    DatabaseFailed,
    DatabaseUnreachable,
    UnknownColumn,
    UnknownTable,
)
from erp_gateway.queries.values import Value
from servicekit.errors import ServiceError

_BATCH: Final = 200
_BUSY_S: Final = 0.5
_LARGEST: Final = 2**63 - 1

_log = structlog.get_logger(__name__)


class SqliteEngine:
    """A database file.

    Args:
        path: the file; it must exist when a query runs.
    """

    name: Final = "sqlite"

    def __init__(self, path: Path) -> None:
        self._uri = f"{path.resolve().as_uri()}?mode=ro"

    def reading(self, work: Work) -> "SqliteReading":
        """Prepare one read."""
        return SqliteReading(self._uri, work)


class SqliteReading:
    """One read of the file."""

    def __init__(self, uri: str, work: Work) -> None:
        self._uri = uri
        self._work = work
        self._connection: sqlite3.Connection | None = None
        self._lock = Lock()
        self._stopped = Event()

    def read(self) -> Rows:
        """Open, read, close."""
        try:
            connection = sqlite3.connect(self._uri, uri=True, check_same_thread=False, timeout=_BUSY_S)
            with closing(connection):
                self._expose(connection)
                try:
                    return self._rows(connection)
                finally:
                    self._expose(None)
        except sqlite3.Error as error:
            if self._stopped.is_set():
                raise InterruptedReadError from error
            raise _refusal(error) from error

    def interrupt(self) -> None:
        """Stop the running statement."""
        self._stopped.set()
        with self._lock, suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.interrupt()

    def _expose(self, connection: sqlite3.Connection | None) -> None:
        with self._lock:
            self._connection = connection

    def _rows(self, connection: sqlite3.Connection) -> Rows:
        work = self._work
        connection.execute("PRAGMA query_only = ON")
        with closing(connection.cursor()) as cursor:
            cursor.execute(work.sql, [_bound(value) for value in work.values])
            rows = work.collector([column[0] for column in cursor.description])
            while rows.wanted:
                if self._stopped.is_set():
                    raise InterruptedReadError
                batch: Sequence[Sequence[object]] = cursor.fetchmany(min(_BATCH, rows.wanted))
                for row in batch:
                    rows.add(row)
                if not batch:
                    break
            return rows.finish()


def _bound(value: Value) -> str | int | float:
    if isinstance(value, Decimal):
        whole = value == value.to_integral_value() and abs(value) <= _LARGEST
        return int(value) if whole else float(value)
    return value.isoformat() if isinstance(value, date) else value


def _refusal(error: sqlite3.Error) -> ServiceError:
    text = str(error)
    _log.warning("database_error", engine="sqlite", error=text)
    if text.startswith("no such column"):
        return UnknownColumn()
    if text.startswith("no such table"):
        return UnknownTable()
    if "unable to open" in text:
        return DatabaseUnreachable()
    return DatabaseBusy() if "locked" in text else DatabaseFailed()
