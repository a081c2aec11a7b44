"""Interface of a database engine. To add one, write a module with two classes and a line in `open_engine`."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import structlog
from attrs import frozen

from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.engines.rows import RowCollector, Rows, RowStream
from erp_gateway.queries.values import Value

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class Work:
    """One read.

    Attributes:
        sql: a single read with `?` for each value; it never contains a value.
        values: values to bind, in order.
        max_rows: maximum number of rows to return; one more is fetched to detect further rows.
        timeout_s: longest run. Then the engine is interrupted. The engine also has its own timeout for an
            unresponsive server.
        sink: receives the rows, which are then not collected.
    """

    sql: str
    values: Sequence[Value]
    max_rows: int
    timeout_s: float
    sink: TableSink | None = None

    def collector(self, columns: Sequence[str]) -> "RowCollector":
        """Return the collector of the rows.

        Args:
            columns: names from the database.

        Raises:
            DatabaseFailed: as `RowCollector`.
        """
        if self.sink is None:
            return RowCollector(columns, self.max_rows)
        return RowStream(columns, self.max_rows, self.sink)


class Reading(Protocol):
    """One read on its own connection. Both methods block; each is called in its own thread."""

    def read(self) -> Rows:
        """Open, read, close. It never commits.

        Raises:
            ServiceError: see `errors`.
            InterruptedReadError: `interrupt` was called.
        """
        ...

    def interrupt(self) -> None:
        """Stop the statement on the server, so that `read` ends soon.

        Call it from one other thread, at any time and repeatedly while `read` runs. Never raises.
        """
        ...


@runtime_checkable
class Connecting(Protocol):
    """A read that logs in first.

    Attributes:
        is_connected: whether the login is over.
    """

    is_connected: bool


class Engine(Protocol):
    """A kind of database."""

    @property
    def name(self) -> str:
        """Its name in settings and declarations of queries."""
        ...

    def reading(self, work: Work) -> Reading:
        """Prepare one read without opening anything.

        Raises:
            DatabaseDriverMissing: the driver is not installed.
        """
        ...


class InterruptedReadError(Exception):
    """The read was ended by `interrupt`."""
