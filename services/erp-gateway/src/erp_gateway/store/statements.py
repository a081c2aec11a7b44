"""Pieces of work and the statements they run, on any engine; several pieces share a transaction.

Statements are written once for all engines: `?` for a value, `ON CONFLICT` for rows that may exist, texts
compared byte by byte, integers for booleans.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from attrs import frozen

T_co = TypeVar("T_co", covariant=True)


class Row(Protocol):
    """One row: its values in order, each also by index or column name."""

    def __getitem__(self, column: Any, /) -> Any: ...  # int or str

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...


class Result(Protocol):
    """Result of a statement."""

    @property
    def rowcount(self) -> int:
        """Number of changed rows."""
        ...

    def fetchall(self) -> list[Any]:
        """Return all rows, each a `Row`."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Statements(Protocol):
    """Runs statements inside a transaction that its caller begins and ends."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Result:
        """Run one statement with its values."""
        ...


class Work(Protocol[T_co]):
    """Runs statements and waits for nothing else. It may run twice; the first run is then rolled back."""

    def __call__(self, statements: Statements, /) -> T_co:
        """Run on the thread of the connection, and return the result for the caller."""
        ...


def where(conditions: Iterable[tuple[str, Any]]) -> tuple[str, list[Any]]:
    """Return a WHERE clause for conditions that must all hold, and its values.

    Args:
        conditions: fixed texts such as `web_user = ?`, each with its value; those with None are left out.
    """
    active = [(test, value) for test, value in conditions if value is not None]
    clause = " AND ".join(test for test, _ in active) or "TRUE"
    return f"WHERE {clause}", [value for _, value in active]


@frozen
class Outcome:
    """Result of a piece of work, or the error that rolled it back."""

    result: Any = None
    error: Exception | None = None


class Transactions(Protocol):
    """A connection that runs one transaction after another."""

    def begin(self) -> Statements:
        """Begin a transaction that excludes other writers, and return its statements."""
        ...

    def commit(self) -> None:
        """Commit the transaction."""
        ...

    def undo(self) -> None:
        """Roll the transaction back; fails if the engine has already done so."""
        ...

    def abandon(self) -> None:
        """Leave no open transaction after a failure, if possible; raises nothing."""
        ...


def commit_batch(transactions: Transactions, works: Sequence[Work[Any]]) -> list[Outcome]:
    """Run all pieces of work in one transaction and commit it; an error rolls back only its own piece.

    If one fails, all are rolled back and run again, each with its own savepoint. Errors are rare, and a
    savepoint costs two more statements for each piece of work.

    Raises:
        Exception: the engine's own; the transaction as a whole failed.
    """
    try:
        outcomes = _run_all(transactions, works)
        transactions.commit()
    except Exception:
        transactions.abandon()
        raise
    return outcomes


def _run_all(transactions: Transactions, works: Sequence[Work[Any]]) -> list[Outcome]:
    statements = transactions.begin()
    try:
        return [Outcome(work(statements)) for work in works]
    except Exception:  # noqa: BLE001 - the second run raises it again for its own piece of work
        transactions.undo()
    statements = transactions.begin()
    return [_run_one(statements, work) for work in works]


def _run_one(statements: Statements, work: Work[Any]) -> Outcome:
    statements.execute("SAVEPOINT job")
    try:
        result = work(statements)
    except Exception as error:  # noqa: BLE001 - any error is passed to the waiting caller
        statements.execute("ROLLBACK TO job")  # fails if the engine has undone the whole transaction
        statements.execute("RELEASE job")
        return Outcome(error=error)
    statements.execute("RELEASE job")
    return Outcome(result)
