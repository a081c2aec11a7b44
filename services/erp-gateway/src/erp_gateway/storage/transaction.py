"""One transaction for many pieces of work, on the connection's own thread."""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import structlog
from attrs import frozen

Work: TypeAlias = Callable[[sqlite3.Connection], Any]
"""Runs statements on the connection it is given; may be run twice, the first time undone."""

_log = structlog.get_logger(__name__)


@frozen
class Outcome:
    """What a piece of work returned, or why nothing of it was kept."""

    result: Any = None
    error: Exception | None = None


def commit_together(connection: sqlite3.Connection, works: Sequence[Work]) -> list[Outcome]:
    """Run all in one transaction and commit it; a failure undoes the statements of its own work alone.

    Where one fails all are undone and run again, each with a savepoint of its own: failures are rare, and
    savepoints are two statements more for each piece of work.

    Raises:
        sqlite3.Error: the transaction as a whole failed; nothing of any work was kept.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
        outcomes = _attempt_all(connection, works)
        connection.execute("COMMIT")
    except sqlite3.Error:
        _roll_back(connection)
        raise
    return outcomes


def _attempt_all(connection: sqlite3.Connection, works: Sequence[Work]) -> list[Outcome]:
    try:
        return [Outcome(work(connection)) for work in works]
    except Exception:  # noqa: BLE001 - it is raised again where it belongs to one of them
        connection.execute("ROLLBACK")  # fails if SQLite has undone the whole transaction
    connection.execute("BEGIN IMMEDIATE")
    return [_attempt(connection, work) for work in works]


def _attempt(connection: sqlite3.Connection, work: Work) -> Outcome:
    connection.execute("SAVEPOINT job")
    try:
        result = work(connection)
    except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to the caller who waits for it
        connection.execute("ROLLBACK TO job")  # fails if SQLite has undone the whole transaction
        connection.execute("RELEASE job")
        return Outcome(error=error)
    connection.execute("RELEASE job")
    return Outcome(result)


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            _log.error("store_rollback_failed", reason=str(error))
