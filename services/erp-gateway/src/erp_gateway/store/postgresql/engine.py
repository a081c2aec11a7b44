"""The store in a database of PostgreSQL: one writing connection, one reading connection.

Every transaction that writes first takes one lock, so that there is one writer at a time however many
processes there are, and what it reads is what the one before it has committed.
"""

import time
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import psycopg
import structlog

from erp_gateway.store.postgresql.connection import Line
from erp_gateway.store.postgresql.dialect import LOCK_SPACE, WRITING, PostgresStatements
from erp_gateway.store.statements import Outcome, Row, Statements, Work, commit_together

T = TypeVar("T")

WRITE_TIMEOUT_S: Final = 3.0
READ_TIMEOUT_S: Final = 10.0
"""How long one statement may take, of a piece of work and of a read."""

ASK_FOR_S: Final = 4.0
"""How long it is asked what became of a commit whose connection was lost."""

_ASK_INTERVAL_S: Final = 0.1

_MOST_TOGETHER: Final = 256

_BEGIN: Final = (
    f"BEGIN; SELECT pg_advisory_xact_lock({LOCK_SPACE}, {WRITING}); "
    "SELECT pg_current_xact_id()::text, nextval('store_changes')"
)
"""In one round trip. What is read after it has a snapshot of its own, taken when the lock was held."""

_log = structlog.get_logger(__name__)


class CommitUnknown(psycopg.OperationalError):
    """The connection was lost during a commit, and the server could not be asked whether it was done."""


class PostgresEngine:
    """An open database; made by `postgresql.opening.open_postgresql`.

    Args:
        writer: a connection that may write.
        reader: one that may not.
    """

    failure: Final = psycopg.Error

    def __init__(self, writer: Line, reader: Line) -> None:
        self._writer = writer
        self._reader = reader
        self._transactions = _PostgresTransactions(writer)

    def most_together(self, waiting: int) -> int:
        """Return all of them, up to some hundreds: each commit waits for the server's disk."""
        return min(_MOST_TOGETHER, waiting)

    async def commit(self, works: Sequence[Work[Any]], *, may_take_long: bool = False) -> list[Outcome]:
        """Run pieces of work in one transaction, on the connection's thread.

        Where the connection is lost during the commit, the server is asked what became of it.
        """
        if may_take_long:
            works = [_unlimited(work) for work in works]
        return await self._writer.run(
            lambda: commit_together(self._transactions, works), may_take_long=may_take_long
        )

    async def read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        """Return the rows of one SELECT; asked once more where the connection was lost."""
        return await self._reader.run(lambda: self._read(sql, parameters))

    async def foreign_changes(self) -> int:
        """Return how many transactions others have begun, by a number that each one draws."""
        return await self._writer.run(self._count_foreign)

    def _read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        try:
            return PostgresStatements(self._reader.connection()).execute(sql, parameters).fetchall()
        except psycopg.OperationalError:
            if not self._reader.is_lost:
                raise
        return PostgresStatements(self._reader.connection()).execute(sql, parameters).fetchall()

    def _count_foreign(self) -> int:
        ((drawn,),) = self._writer.connection().execute("SELECT last_value FROM store_changes").fetchall()
        return int(drawn) - self._transactions.drawn


def _unlimited(work: Work[T]) -> Work[T]:
    def run(statements: Statements, /) -> T:
        statements.execute("SET LOCAL statement_timeout = 0")
        statements.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        return work(statements)

    return run


class _PostgresTransactions:
    """The transactions of one writing connection; all but `drawn` is for its thread alone.

    Attributes:
        drawn: how many numbers its transactions have drawn.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self._number = ""
        self.drawn = 0

    def begin(self) -> Statements:
        try:
            return self._begin()
        except psycopg.errors.ReadOnlySqlTransaction:
            self._line.drop()  # it only follows another server: the next connection may find that one
            raise
        except psycopg.OperationalError:
            if not self._line.is_lost:
                raise
        return self._begin()  # it was lost since the last one: nothing was done yet

    def commit(self) -> None:
        try:
            done = self._line.connection().execute("COMMIT").statusmessage
        except psycopg.OperationalError as error:
            if not self._line.is_lost:
                raise
            if not self._was_committed():
                raise
            _log.warning("store_commit_found_done", reason=str(error))
            return
        if done != "COMMIT":  # a piece of work has gone on after a statement of its own had failed
            raise psycopg.errors.InFailedSqlTransaction(
                "the transaction was undone, since a statement failed"
            )

    def undo(self) -> None:
        self._line.connection().execute("ROLLBACK")

    def abandon(self) -> None:
        try:
            if not self._line.is_lost:
                self._line.connection().execute("ROLLBACK")
        except psycopg.Error as error:
            _log.error("store_rollback_failed", reason=str(error))
            self._line.drop()

    def _begin(self) -> Statements:
        connection = self._line.connection()
        answers = connection.execute(_BEGIN)
        while answers.nextset():
            pass
        ((self._number, _),) = answers.fetchall()
        self.drawn += 1
        return PostgresStatements(connection)

    def _was_committed(self) -> bool:
        """Ask on new connections, for a while, what became of the transaction.

        Raises:
            CommitUnknown: nobody could tell.
        """
        until = time.monotonic() + ASK_FOR_S
        reason: object = "it is still under way"
        while time.monotonic() < until:
            try:
                ((status,),) = (
                    self._line.connection()
                    .execute("SELECT pg_xact_status(%s::xid8)", (self._number,))
                    .fetchall()
                )
            except psycopg.Error as error:
                reason = error
            else:
                if status in ("committed", "aborted"):
                    return bool(status == "committed")
            time.sleep(_ASK_INTERVAL_S)
        self.drawn -= 1  # as if somebody else had committed: whoever holds the store's content reads it again
        raise CommitUnknown(
            f"the connection was lost during a commit; whether it was done is unknown: {reason}"
        )
