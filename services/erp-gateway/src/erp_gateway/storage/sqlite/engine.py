"""The store in one SQLite file: one writing connection, one reading connection.

The file survives the end of the process at any point (write-ahead log); with `synchronous=NORMAL` a power
cut may lose the last commits, never the file.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

import structlog

from erp_gateway.storage.sqlite.connection import StoreConnection
from erp_gateway.storage.statements import Row, Statements, Work
from erp_gateway.storage.transaction import Outcome, commit_together

_SHARE_OF_THE_WAITING: Final = 8
_LEAST_TOGETHER: Final = 2
_MOST_TOGETHER: Final = 256

_log = structlog.get_logger(__name__)


class SqliteEngine:
    """An open store file; made by `sqlite.opening.open_sqlite`.

    Args:
        writer: a connection that may write.
        reader: one that may not.
    """

    failure: Final = sqlite3.Error

    def __init__(self, writer: StoreConnection, reader: StoreConnection) -> None:
        self._writer = writer
        self._reader = reader

    def most_together(self, waiting: int) -> int:
        """Return an eighth of those that wait: a commit waits for no disk here, it costs some 0.1 ms.

        Requests whose work was committed together go on together and get in each other's way at every further
        step, up to their next commit: with 16 writers in one commit an answer took 9 ms longer.
        """
        return min(_MOST_TOGETHER, max(_LEAST_TOGETHER, waiting // _SHARE_OF_THE_WAITING))

    async def commit(self, works: Sequence[Work[Any]], *, may_take_long: bool = False) -> list[Outcome]:  # noqa: ARG002 - no limit holds here
        """Run pieces of work in one transaction, on the connection's thread."""
        return await self._writer.run(
            lambda connection: commit_together(_SqliteTransactions(connection), works)
        )

    async def read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        """Return the rows of one SELECT."""
        return await self._reader.rows(sql, parameters)

    async def foreign_changes(self) -> int:
        """Return SQLite's `data_version`, which a connection's own commits do not change."""
        rows = await self._writer.rows("PRAGMA data_version")
        return int(rows[0][0])


class _SqliteTransactions:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self) -> Statements:
        self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def undo(self) -> None:
        self._connection.execute("ROLLBACK")

    def abandon(self) -> None:
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                _log.error("store_rollback_failed", reason=str(error))
