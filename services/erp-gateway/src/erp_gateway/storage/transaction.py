"""One transaction for many pieces of work, on the thread of the connection that they run on."""

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import frozen

from erp_gateway.storage.statements import Statements, Work


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
