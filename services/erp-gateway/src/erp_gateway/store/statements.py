"""Pieces of work and what they may ask of the store, whichever engine keeps it; many share a transaction.

Statements are written once, for every engine: `?` for a value, `ON CONFLICT` for what may be there already,
texts compared byte by byte, whole numbers for what is true or false.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from attrs import frozen

T_co = TypeVar("T_co", covariant=True)


class Row(Protocol):
    """One row: its values in order, each also by the place or the name of its column."""

    def __getitem__(self, column: Any, /) -> Any: ...  # int or str

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...


class Result(Protocol):
    """What a statement found or did."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchall(self) -> list[Any]:
        """Return all rows that were found, each a `Row`."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Statements(Protocol):
    """Runs statements inside a transaction that its caller has begun and ends."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Result:
        """Run one statement with its values."""
        ...


class Work(Protocol[T_co]):
    """Runs statements and waits for nothing else; may be run twice, the first time undone."""

    def __call__(self, statements: Statements, /) -> T_co:
        """Run on the thread of the connection and return what its caller wants to know."""
        ...


def where(asked: Iterable[tuple[str, Any]]) -> tuple[str, list[Any]]:
    """Return the clause for the conditions that must all hold, and its values.

    Args:
        asked: fixed texts such as `web_user = ?`, each with its value; None asks nothing.
    """
    held = [(test, value) for test, value in asked if value is not None]
    clause = " AND ".join(test for test, _ in held) or "TRUE"
    return f"WHERE {clause}", [value for _, value in held]


@frozen
class Outcome:
    """What a piece of work returned, or why nothing of it was kept."""

    result: Any = None
    error: Exception | None = None


class Transactions(Protocol):
    """A connection on which one transaction after another is begun and ended."""

    def begin(self) -> Statements:
        """Begin one that is the only one to write, and return what runs its statements."""
        ...

    def commit(self) -> None:
        """Keep what was done since."""
        ...

    def undo(self) -> None:
        """Undo it; fails where the engine has undone it already."""
        ...

    def abandon(self) -> None:
        """Leave none open after a failure, if that can be done; raises nothing."""
        ...


def commit_together(transactions: Transactions, works: Sequence[Work[Any]]) -> list[Outcome]:
    """Run all in one transaction and commit it; a failure undoes the statements of its own work alone.

    Where one fails all are undone and run again, each with a savepoint of its own: failures are rare, and
    savepoints are two statements more for each piece of work.

    Raises:
        Exception: the engine's own; the transaction as a whole failed.
    """
    try:
        outcomes = _attempt_all(transactions, works)
        transactions.commit()
    except Exception:
        transactions.abandon()
        raise
    return outcomes


def _attempt_all(transactions: Transactions, works: Sequence[Work[Any]]) -> list[Outcome]:
    statements = transactions.begin()
    try:
        return [Outcome(work(statements)) for work in works]
    except Exception:  # noqa: BLE001 - it is raised again where it belongs to one of them
        transactions.undo()
    statements = transactions.begin()
    return [_attempt(statements, work) for work in works]


def _attempt(statements: Statements, work: Work[Any]) -> Outcome:
    statements.execute("SAVEPOINT job")
    try:
        result = work(statements)
    except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to the caller who waits for it
        statements.execute("ROLLBACK TO job")  # fails if the engine has undone the whole transaction
        statements.execute("RELEASE job")
        return Outcome(error=error)
    statements.execute("RELEASE job")
    return Outcome(result)
