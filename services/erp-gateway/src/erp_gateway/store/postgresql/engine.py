"""The store in a PostgreSQL database: one writing connection, one reading connection.

Every writing transaction first takes one lock. So there is one writer at a time among all processes, and each
reads what the writer before it has committed.
"""

import time
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import psycopg
import structlog

from erp_gateway.store.postgresql.connection import Connector
from erp_gateway.store.postgresql.dialect import LOCK_SPACE, WRITING, PostgresStatements
from erp_gateway.store.statements import Outcome, Row, Statements, Work, commit_batch

T = TypeVar("T")

WRITE_TIMEOUT_S: Final = 3.0
READ_TIMEOUT_S: Final = 10.0
"""Longest time of one statement, in a piece of work and in a read."""

RESOLVE_TIMEOUT_S: Final = 4.0
"""Longest time to resolve a commit whose connection was lost."""

_RESOLVE_INTERVAL_S: Final = 0.1

_MAX_BATCH: Final = 256

# One round trip. Later statements see all earlier commits: their snapshots are taken under the lock.
_BEGIN: Final = (
    f"BEGIN; SELECT pg_advisory_xact_lock({LOCK_SPACE}, {WRITING}); "
    "SELECT pg_current_xact_id()::text, nextval('store_changes')"
)

_log = structlog.get_logger(__name__)


class CommitUnknown(psycopg.OperationalError):
    """The connection was lost during a commit, and its outcome could not be determined."""


class PostgresEngine:
    """An open database; created by `postgresql.opening.open_postgresql`.

    Args:
        writer: a connection that may write.
        reader: a read-only connection.
    """

    failure: Final = psycopg.Error

    def __init__(self, writer: Connector, reader: Connector) -> None:
        self._writer = writer
        self._reader = reader
        self._transactions = _PostgresTransactions(writer)

    def batch_size(self, waiting: int) -> int:
        """Return all waiting jobs, up to some hundreds, because each commit waits for the server's disk."""
        return min(_MAX_BATCH, waiting)

    async def commit(self, works: Sequence[Work[Any]], *, may_take_long: bool = False) -> list[Outcome]:
        """Run pieces of work in one transaction, on the connection's thread.

        If the connection is lost during the commit, the outcome is read from the server.
        """
        if may_take_long:
            works = [_without_timeouts(work) for work in works]
        return await self._writer.run(
            lambda: commit_batch(self._transactions, works), may_take_long=may_take_long
        )

    async def read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        """Return the rows of one SELECT; tried once more if the connection was lost."""
        return await self._reader.run(lambda: self._read(sql, parameters))

    async def foreign_changes(self) -> int:
        """Return how many transactions of other processes have begun; each draws a number from a sequence."""
        return await self._writer.run(self._count_foreign)

    def _read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        try:
            return PostgresStatements(self._reader.connection()).execute(sql, parameters).fetchall()
        except psycopg.OperationalError:
            if not self._reader.is_lost:
                raise
        return PostgresStatements(self._reader.connection()).execute(sql, parameters).fetchall()

    def _count_foreign(self) -> int:
        ((drawn_numbers,),) = (
            self._writer.connection().execute("SELECT last_value FROM store_changes").fetchall()
        )
        return int(drawn_numbers) - self._transactions.drawn_numbers


def _without_timeouts(work: Work[T]) -> Work[T]:
    def run(statements: Statements, /) -> T:
        statements.execute("SET LOCAL statement_timeout = 0")
        statements.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        return work(statements)

    return run


class _PostgresTransactions:
    """The transactions of one writing connection; all but `drawn_numbers` is for its thread only.

    Attributes:
        drawn_numbers: how many sequence numbers its transactions have drawn.
    """

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._number = ""
        self.drawn_numbers = 0

    def begin(self) -> Statements:
        try:
            return self._begin()
        except psycopg.errors.ReadOnlySqlTransaction:
            self._connector.drop()  # this server is now a replica; the next connection may find the primary
            raise
        except psycopg.OperationalError:
            if not self._connector.is_lost:
                raise
        return (
            self._begin()
            # The connection was lost since the last transaction. This one did nothing yet: retry it.
        )

    def commit(self) -> None:
        try:
            done = self._connector.connection().execute("COMMIT").statusmessage
        except psycopg.OperationalError as error:
            if not self._connector.is_lost:
                raise
            if not self._was_committed():
                raise
            _log.warning("store_commit_found_done", reason=str(error))
            return
        # A piece of work continued after one of its statements had failed. PostgreSQL then answers COMMIT
        # with ROLLBACK.
        if done != "COMMIT":
            raise psycopg.errors.InFailedSqlTransaction(
                "the transaction was undone, since a statement failed"
            )

    def undo(self) -> None:
        self._connector.connection().execute("ROLLBACK")

    def abandon(self) -> None:
        try:
            if not self._connector.is_lost:
                self._connector.connection().execute("ROLLBACK")
        except psycopg.Error as error:
            _log.error("store_rollback_failed", reason=str(error))
            self._connector.drop()

    def _begin(self) -> Statements:
        connection = self._connector.connection()
        answers = connection.execute(_BEGIN)
        while answers.nextset():
            pass
        ((self._number, _),) = answers.fetchall()
        self.drawn_numbers += 1
        return PostgresStatements(connection)

    def _was_committed(self) -> bool:
        """Read the outcome of the transaction on new connections, for a while.

        Raises:
            CommitUnknown: the server did not report an outcome in time.
        """
        until = time.monotonic() + RESOLVE_TIMEOUT_S
        reason: object = "it is still under way"
        while time.monotonic() < until:
            try:
                ((status,),) = (
                    self._connector.connection()
                    .execute("SELECT pg_xact_status(%s::xid8)", (self._number,))
                    .fetchall()
                )
            except psycopg.Error as error:
                reason = error
            else:
                if status in ("committed", "aborted"):
                    return bool(status == "committed")
            time.sleep(_RESOLVE_INTERVAL_S)
        self.drawn_numbers -= (
            1  # counts as a foreign commit, so that copies of the store in memory are reloaded
        )
        raise CommitUnknown(
            f"the connection was lost during a commit; whether it was done is unknown: {reason}"
        )
