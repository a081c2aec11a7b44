"""Sessions with a database, by driver."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from typing_extensions import override

_T = TypeVar("_T")

_VERSION: Final = "SELECT VERSION FROM SYS.M_DATABASE"

_PRIVILEGES: Final = (
    "SELECT DISTINCT PRIVILEGE FROM SYS.EFFECTIVE_PRIVILEGES"
    " WHERE USER_NAME = CURRENT_USER AND SCHEMA_NAME = ?"
)


class DatabaseError(Exception):
    """Error of the database or its driver.

    Attributes:
        number: its number; 0 without one.
        text: its text; may name hosts and users.
    """

    def __init__(self, number: int, text: str) -> None:
        super().__init__(number)
        self.number = number
        self.text = text


class Session:
    """One login that prepares registered queries without running them, and reads the catalogue.

    Its methods block and are called one after another in one thread. All but `close` raise `DatabaseError`.

    Args:
        connect: connects and logs in.
        failure: exception class of the driver.
    """

    def __init__(self, connect: Callable[[], Any], failure: type[Exception]) -> None:
        self._connect = connect
        self._failure = failure
        self._connection: Any = None

    def open(self) -> None:
        """Connect and log in."""
        self._connection = self._try(self._connect)

    def version(self) -> str:
        """Return the database's version."""
        raise NotImplementedError

    def enter(self) -> None:
        """Set the company's schema, and begin a read-only transaction."""

    def privileges(self) -> Sequence[str]:
        """Return the names of the rights that the user has in the schema."""
        raise NotImplementedError

    def prepare(self, sql: str, places: int) -> None:
        """Let the database parse a query with `places` parameters, without running it."""
        raise NotImplementedError

    def close(self) -> None:
        """Log out without a commit."""
        if self._connection is not None:
            with suppress(self._failure):
                self._connection.close()

    def _ask(self, sql: str, *values: object) -> Sequence[Any]:
        def ask() -> Sequence[Any]:
            cursor = self._connection.cursor()
            cursor.execute(sql, values) if values else cursor.execute(sql)
            rows: Sequence[Any] = cursor.fetchall() if cursor.description else ()
            cursor.close()
            return rows

        return self._try(ask)

    def _try(self, act: Callable[[], _T]) -> _T:
        try:
            return act()
        except self._failure as error:
            number, text = getattr(error, "errorcode", 0), getattr(error, "errortext", error)
            raise DatabaseError(int(number), str(text)) from error


class HanaSession(Session):
    """SAP HANA.

    Args:
        connect: as of `Session`.
        failure: as of `Session`.
        schema: of the company.
    """

    def __init__(self, connect: Callable[[], Any], failure: type[Exception], schema: str) -> None:
        super().__init__(connect, failure)
        self._schema = schema

    @override
    def version(self) -> str:
        return str(self._ask(_VERSION)[0][0])

    @override
    def enter(self) -> None:
        quoted = self._schema.replace('"', '""')
        self._ask(f'SET SCHEMA "{quoted}"')
        self._ask("SET TRANSACTION READ ONLY")

    @override
    def privileges(self) -> Sequence[str]:
        return [str(row[0]) for row in self._ask(_PRIVILEGES, self._schema)]

    @override
    def prepare(self, sql: str, places: int) -> None:
        def prepare() -> None:
            cursor = self._connection.cursor()
            cursor.prepare(sql)
            cursor.close()

        self._try(prepare)


class FileSession(Session):
    """A SQLite file, for trials: no user, no rights, one schema.

    Args:
        file: the file.
    """

    def __init__(self, file: Path) -> None:
        uri = f"{file.resolve().as_uri()}?mode=ro"
        super().__init__(partial(sqlite3.connect, uri, uri=True, check_same_thread=False), sqlite3.Error)

    @override
    def open(self) -> None:
        super().open()
        self._ask("PRAGMA schema_version")

    @override
    def version(self) -> str:
        return sqlite3.sqlite_version

    @override
    def privileges(self) -> Sequence[str]:
        return ("SELECT",)

    @override
    def prepare(self, sql: str, places: int) -> None:
        self._ask(f"EXPLAIN {sql}", *[None] * places)
