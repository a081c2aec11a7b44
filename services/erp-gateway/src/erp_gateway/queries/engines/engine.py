"""What a database engine must offer. Adding one is a module with two classes, and a line in `open_engine`."""

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
    """What is to be read.

    Attributes:
        sql: a single read, `?` for each value; no value ever stands in it.
        values: what to bind, in the order of the places.
        max_rows: most rows to return; one more is looked for, the rest is left where it is.
        timeout_s: longest run. The engine is interrupted then; it makes sure by its own means as well that a
            server that has fallen silent can't hold it much longer.
        sink: takes the rows instead of the memory.
    """

    sql: str
    values: Sequence[Value]
    max_rows: int
    timeout_s: float
    sink: TableSink | None = None

    def collector(self, columns: Sequence[str]) -> "RowCollector":
        """Return what gathers the rows.

        Args:
            columns: names as the database gives them.

        Raises:
            DatabaseFailed: as `RowCollector` has it.
        """
        if self.sink is None:
            return RowCollector(columns, self.max_rows)
        return RowStream(columns, self.max_rows, self.sink)


class Reading(Protocol):
    """One read on a connection of its own. Both methods block; each is called in its own thread."""

    def read(self) -> Rows:
        """Open, read, close; nothing is ever committed.

        Raises:
            ServiceError: as `errors` has them.
            InterruptedReadError: `interrupt` was called.
        """
        ...

    def interrupt(self) -> None:
        """Make `read` end soon, by stopping the statement on the server.

        May be called at any time and again while `read` goes on, from one other thread. Never raises.
        """
        ...


@runtime_checkable
class Connecting(Protocol):
    """A reading that logs in before it reads.

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
        """Prepare one read. Opens nothing yet.

        Raises:
            DatabaseDriverMissing: the driver is not installed.
        """
        ...


class InterruptedReadError(Exception):
    """The read was ended by `interrupt`."""
