"""One login to the ERP's database that runs no registered query: it prepares them and asks the catalogue.

Its methods block and are called one after another in one thread.
"""

from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, Final, Protocol

from erp_gateway.erpdb.engines.engine import DatabaseError
from erp_gateway.erpdb.engines.hana import HanaAddress, connect_options
from erp_gateway.erpdb.sql.statement import Statement, quoted_name

_VERSION: Final = "SELECT VERSION FROM SYS.M_DATABASE"
_PRIVILEGES: Final = (
    "SELECT DISTINCT PRIVILEGE FROM SYS.EFFECTIVE_PRIVILEGES"
    " WHERE USER_NAME = CURRENT_USER AND SCHEMA_NAME = ?"
)


class Session(Protocol):
    """A connection that only looks. Everything but `close` raises `DatabaseError`."""

    def open(self) -> None:
        """Connect and log in."""
        ...

    def version(self) -> str:
        """Return the database's version."""
        ...

    def enter(self) -> None:
        """Choose the company's schema, and begin a transaction that can't write."""
        ...

    def privileges(self) -> Sequence[str]:
        """Return the names of the rights that the user has in the schema."""
        ...

    def prepare(self, statement: Statement) -> None:
        """Let the database read a query without running it."""
        ...

    def close(self) -> None:
        """Log out; nothing was changed."""
        ...


class HanaSession:
    """SAP HANA.

    Args:
        address: where it is.
        driver: `hdbcli.dbapi`.
        timeout_s: how long each answer is waited for.
    """

    def __init__(self, address: HanaAddress, driver: ModuleType, timeout_s: float) -> None:
        self._address = address
        self._driver: Any = driver
        self._timeout_s = timeout_s
        self._connection: Any = None

    def open(self) -> None:
        """Connect and log in."""
        try:
            self._connection = self._driver.connect(**connect_options(self._address, self._timeout_s))
        except self._driver.Error as error:
            raise _told(error) from error

    def version(self) -> str:
        """Return the database's version, as its catalogue tells it."""
        return str(self._ask(_VERSION)[0][0])

    def enter(self) -> None:
        """Choose the company's schema, and begin a transaction that can't write."""
        self._ask(f"SET SCHEMA {quoted_name(self._address.schema)}")
        self._ask("SET TRANSACTION READ ONLY")

    def privileges(self) -> Sequence[str]:
        """Return the names of the rights that the user has in the schema, as the catalogue tells them."""
        return [str(row[0]) for row in self._ask(_PRIVILEGES, self._address.schema)]

    def prepare(self, statement: Statement) -> None:
        """Let the server prepare a query; it is never executed."""
        try:
            cursor = self._connection.cursor()
            cursor.prepare(statement.sql)
            cursor.close()
        except self._driver.Error as error:
            raise _told(error) from error

    def close(self) -> None:
        """Log out; nothing was committed."""
        if self._connection is not None:
            with suppress(self._driver.Error):
                self._connection.close()

    def _ask(self, sql: str, *values: str) -> Sequence[Any]:
        try:
            cursor = self._connection.cursor()
            cursor.execute(sql, values) if values else cursor.execute(sql)
            rows: Sequence[Any] = cursor.fetchall() if cursor.description else ()
            cursor.close()
        except self._driver.Error as error:
            raise _told(error) from error
        return rows


def _told(error: Any) -> DatabaseError:
    return DatabaseError(int(error.errorcode), str(error.errortext))
