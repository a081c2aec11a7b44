"""Transaction of one connection: queries run alone, changes run in a transaction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb
from attrs import define, field, frozen

from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.protocol.codes import CANCELLED, HanaError, Type
from erpsim.hana.protocol.columns import Column, Value
from erpsim.hana.tables.errors import BROKEN, LOCKED, hana_error
from erpsim.hana.translation.translation import Translation

if TYPE_CHECKING:
    from collections.abc import Callable

    from erpsim.hana.tables.database import Database

_MOST_ROWS_INSIDE: Final = 100_000
_BATCH: Final = 1000
_DIGITS: Final = 15
_Done = TypeVar("_Done")


@frozen
class Query:
    """Result of a query: its columns, and rows that are computed on iteration."""

    columns: Sequence[Column]
    rows: Iterator[Sequence[Value]]


@define
class _Change:
    """A change of the open transaction, recorded to repeat it after an error."""

    sql: str
    values: dict[str, Value]
    count: int


@define(eq=False)
class Transaction:
    """Successive transactions of one connection.

    The engine aborts the whole transaction on any error, HANA only the statement. So changes are recorded and
    repeated in a new transaction. Until the first change every query runs alone: READ COMMITTED, HANA's
    default.

    Use one thread at a time, except for `interrupt`.
    """

    database: Database
    _cursor: duckdb.DuckDBPyConnection | None = None
    _changes: list[_Change] = field(factory=list)
    _changed: set[tuple[str, str]] = field(factory=set)
    _running: duckdb.DuckDBPyConnection | None = None
    _stopped: bool = False

    def interrupt(self) -> None:
        """Interrupt the running statement. Call it until the statement has stopped."""
        self._stopped = True
        running = self._running
        if running is not None:
            running.interrupt()

    def ready(self) -> None:
        """Discard an interrupt that arrived when nothing was running."""
        self._stopped = False

    def query(self, translation: Translation, values: Sequence[Value]) -> Query:
        """Run a query; its rows are computed while they are taken.

        Raises:
            HanaError: HANA would refuse it.
        """
        bound = _bound(values)
        convert = [_reader(column) for column in translation.columns]
        if self._cursor is not None and self._changed & translation.tables:
            rows = self._inside(translation.sql, bound)
            return Query(translation.columns, (_read(convert, row) for row in rows))
        cursor = self.database.cursor()
        try:
            self._watched(cursor, lambda: cursor.execute(translation.sql, bound))
        except BaseException:
            cursor.close()
            raise
        return Query(translation.columns, self._taken(cursor, convert))

    def _taken(
        self, cursor: duckdb.DuckDBPyConnection, convert: Sequence[Callable[[Any], Value] | None]
    ) -> Iterator[Sequence[Value]]:
        try:
            while rows := self._watched(cursor, lambda: cursor.fetchmany(_BATCH)):
                for row in rows:
                    yield _read(convert, row)
        finally:
            cursor.close()

    def _inside(self, sql: str, bound: dict[str, Value]) -> list[tuple[Any, ...]]:
        """Run a query that sees the transaction's own changes; all rows are fetched at once."""
        cursor = self._open()
        try:
            self._watched(cursor, lambda: cursor.execute(sql, bound))
            rows: list[tuple[Any, ...]] = self._watched(
                cursor, lambda: cursor.fetchmany(_MOST_ROWS_INSIDE + 1)
            )
        except HanaError as error:
            self._recover(error)
            raise
        if len(rows) > _MOST_ROWS_INSIDE:
            raise not_simulated(f"more than {_MOST_ROWS_INSIDE} rows of tables with uncommitted changes")
        return rows

    def change(self, translation: Translation, rows: Sequence[Sequence[Value]]) -> list[int]:
        """Run a change, once for each row of values; return the rows that it touched.

        Raises:
            HanaError: HANA would refuse it; the statement has no effect then.
        """
        target = translation.target
        if target is None or not self.database.lock(target, self):
            self.rollback()
            raise LOCKED
        done = len(self._changes)
        try:
            counts = [self._do(_Change(translation.sql, _bound(values), 0)) for values in rows or [()]]
        except HanaError as error:
            del self._changes[done:]
            self._recover(error)
            raise
        self._changed.add(target)
        return counts

    def _do(self, change: _Change) -> int:
        cursor = self._open()
        self._watched(cursor, lambda: cursor.execute(change.sql, change.values))
        (count,) = cursor.fetchone() or (0,)
        change.count = int(count)
        self._changes.append(change)
        return change.count

    def _open(self) -> duckdb.DuckDBPyConnection:
        if self._cursor is None:
            self._cursor = self.database.cursor()
            self._cursor.execute("BEGIN")
        return self._cursor

    def _recover(self, error: HanaError) -> None:
        changes, changed = self._changes, self._changed
        self._abandon()
        if error.code == CANCELLED[0] or not changes:
            self.database.unlock(self)
            return
        for change in changes:
            before = change.count
            if self._do(change) != before:
                self.rollback()
                raise HanaError(129, BROKEN.format("a statement could not be undone alone"))
        self._changed = changed

    def commit(self) -> None:
        """Keep the changes."""
        if self._cursor is not None:
            self._cursor.execute("COMMIT")
        self._forget()

    def rollback(self) -> None:
        """Undo the changes."""
        self._abandon()
        self.database.unlock(self)

    def _abandon(self) -> None:
        if self._cursor is not None:
            self._cursor.execute("ROLLBACK")
            self._cursor.close()
        self._cursor, self._changes, self._changed = None, [], set()

    def _forget(self) -> None:
        if self._cursor is not None:
            self._cursor.close()
        self._cursor, self._changes, self._changed = None, [], set()
        self.database.unlock(self)

    def _watched(self, cursor: duckdb.DuckDBPyConnection, do: Callable[[], _Done]) -> _Done:
        """Run an interruptible step.

        Raises:
            HanaError: the engine refused it.
        """
        self._running = cursor
        try:
            if self._stopped:
                raise HanaError(*CANCELLED, sqlstate="HY008")
            return do()
        except duckdb.Error as error:
            raise hana_error(error) from error
        finally:
            self._running = None


def _bound(values: Sequence[Value]) -> dict[str, Value]:
    return {f"p{number}": value for number, value in enumerate(values, 1)}


def _read(convert: Sequence[Callable[[Any], Value] | None], row: Sequence[Any]) -> Sequence[Value]:
    return [
        value if read is None or value is None else read(value)
        for read, value in zip(convert, row, strict=True)
    ]


def _reader(column: Column) -> Callable[[Any], Value] | None:
    """Return the converter from the engine's value to HANA's, None if they are equal."""
    if column.type is Type.DECIMAL:
        return lambda value: Decimal(format(_finite(value), f".{_DIGITS}g"))
    return _finite if column.type in {Type.REAL, Type.DOUBLE} else None


def _finite(value: float) -> float:
    """Return a finite number. The engine has infinities and NaN where HANA raises errors."""
    if not math.isfinite(value):
        raise not_simulated("a result that is no finite number")
    return value
